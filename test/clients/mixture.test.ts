/** Many sessions of two users on all transports at once, all with the same ids: no answer ever comes out of another stream. */
import assert from 'node:assert/strict';
import { after, before, test } from 'node:test';
import { Agent, request } from 'node:https';
import { WebSocket } from 'ws';
import { startPair, type Pair } from '../support/pair.ts';
import { connectSse } from '../support/sse-client.ts';

/** Answers in all; a tenth of it in a usual run. */
const ANSWERS = process.env['STEWARD_LONG'] === '1' ? 100_000 : 10_000;
const SESSIONS = 64;
const AT_ONCE = 8;

let pair: Pair;
let agent: Agent;
before(async () => {
  const limits =
    'limits: {requests_per_second: 1000000, burst: 1000000, max_sessions_per_user: 100, max_calls_per_session: 16}\n';
  pair = await startPair({ daemon: limits });
  agent = new Agent({ ca: pair.ca, keepAlive: true, maxSockets: 64 });
});
after(async () => {
  agent.destroy();
  await pair.stop();
});

/** Sends one request of a session and resolves to the text of its answer. */
type Ask = (id: number, uri: string) => Promise<string>;
interface Talk {
  readonly ask: Ask;
  readonly close: () => void;
}

const body = (id: number, uri: string): string =>
  JSON.stringify({ jsonrpc: '2.0', id, method: 'resources/read', params: { uri } });

/** An unknown resource is told back by its name, which costs the host nothing. */
const nameIn = (text: string): string => /unknown resource: (\S+?)"/.exec(text)?.[1] ?? text;

async function sse(user: string): Promise<Talk> {
  const client = await connectSse({ url: pair.url, ca: pair.ca, token: pair.token(user), agent });
  const ask: Ask = async (id, uri) => JSON.stringify(await client.rpc('resources/read', { uri }, id));
  return { ask, close: () => client.close() };
}

function post(user: string, text: string, session?: string): Promise<{ text: string; session: string }> {
  const own = session === undefined ? {} : { 'mcp-session-id': session };
  const headers = {
    authorization: `Bearer ${pair.token(user)}`,
    'content-type': 'application/json',
    accept: 'application/json',
    ...own,
  };
  return new Promise((done, fail) => {
    const outgoing = request(`${pair.url}/mcp`, { method: 'POST', agent, headers }, (response) => {
      let answer = '';
      response.setEncoding('utf8').on('data', (piece: string) => (answer += piece));
      response.on('end', () => done({ text: answer, session: String(response.headers['mcp-session-id']) }));
      response.on('error', fail);
    });
    outgoing.on('error', fail).end(text);
  });
}

async function mcp(user: string): Promise<Talk> {
  const params = { protocolVersion: '2025-11-25', capabilities: {}, clientInfo: { name: 'test', version: '1' } };
  const { session } = await post(user, JSON.stringify({ jsonrpc: '2.0', id: 0, method: 'initialize', params }));
  return { ask: async (id, uri) => (await post(user, body(id, uri), session)).text, close: () => undefined };
}

async function webSocket(user: string): Promise<Talk> {
  const headers = { authorization: `Bearer ${pair.token(user)}` };
  const socket = new WebSocket(`${pair.url.replace('https', 'wss')}/ws`, 'mcp', { headers, ca: pair.ca });
  const waiting = new Map<number, (text: string) => void>();
  socket.on('message', (data: Buffer) => {
    const text = data.toString();
    const { id } = JSON.parse(text) as { id: number };
    waiting.get(id)?.(text);
    waiting.delete(id);
  });
  await new Promise((done, fail) => socket.once('open', done).once('error', fail));
  const ask: Ask = (id, uri) =>
    new Promise((done) => {
      waiting.set(id, done);
      socket.send(body(id, uri));
    });
  return { ask, close: () => socket.close() };
}

test(`${SESSIONS} sessions, ${ANSWERS} answers`, async () => {
  const kinds = [sse, mcp, webSocket];
  const talks = await Promise.all(
    Array.from({ length: SESSIONS }, (_, index) => kinds[index % kinds.length]!(index % 2 === 0 ? 'ops' : 'guest')),
  );
  const rounds = Math.ceil(ANSWERS / SESSIONS / AT_ONCE);
  let right = 0;
  await Promise.all(
    talks.map(async ({ ask }, index) => {
      for (let round = 0; round < rounds; round += 1) {
        const uris = Array.from({ length: AT_ONCE }, (_, call) => `no://of-${index}/${round}/${call}`);
        const answers = await Promise.all(uris.map((uri, call) => ask(round * AT_ONCE + call, uri)));
        answers.forEach((answer, call) => assert.equal(nameIn(answer), uris[call]));
        right += answers.length;
      }
    }),
  );
  assert.ok(right >= ANSWERS);
  for (const { close } of talks) close();
});
