/** Who hangs up, and who says that he does not want it any more: what becomes of the work in the broker, by its own record. */
import assert from 'node:assert/strict';
import { once } from 'node:events';
import type { ClientRequest, IncomingMessage } from 'node:http';
import { request } from 'node:https';
import { after, before, test } from 'node:test';
import { WebSocket } from 'ws';
import type { AuditRecord } from '@steward/shared/audit/record.ts';
import { eventually, isRoot, startPair, type Pair } from '../support/pair.ts';

/** The records of the work itself are root's. */
const skip = isRoot ? false : 'needs root';

let pair: Pair;
before(async () => {
  pair = await startPair({ grants: '  ops:\n    tools:\n      files/find: {allowed: true, paths: [/]}\n' });
});
after(() => pair.stop());

/** A walk that takes long enough to be stopped on its way. */
const WALK = { name: 'files/find', arguments: { path: '/', name: 'no-such-name', privileged: true } };
const body = (more: object = {}): object => ({ jsonrpc: '2.0', id: 'walk', method: 'tools/call', params: { ...WALK, ...more } });
const CANCEL = { jsonrpc: '2.0', method: 'notifications/cancelled', params: { requestId: 'walk' } };

/** Starts a walk, waits until the broker has begun it, does what ends it, and resolves to how the broker says it ended. */
async function outcome(start: () => void | Promise<unknown>, end: () => unknown): Promise<AuditRecord> {
  const intents = (): AuditRecord[] => pair.records().filter(({ kind, op }) => kind === 'intent' && op === 'files/find');
  const before = intents().length;
  await start();
  const intent = await eventually(() => intents()[before], 60_000);
  await end();
  return eventually(() => pair.records().find((record) => record.kind === 'outcome' && record.intent === intent.seq), 90_000);
}

/** A POST to `/mcp` whose answer is not waited for. */
function post(message: object, headers: Record<string, string> = {}): ClientRequest {
  const own = { authorization: `Bearer ${pair.token('ops')}`, 'content-type': 'application/json', accept: 'text/event-stream' };
  const outgoing = request(`${pair.url}/mcp`, { method: 'POST', ca: pair.ca, headers: { ...own, ...headers }, agent: false });
  outgoing.on('error', () => undefined).end(JSON.stringify(message));
  return outgoing;
}

/** The head of the answer to a POST; its body is read away. */
async function answerTo(outgoing: ClientRequest): Promise<IncomingMessage> {
  const [response] = (await once(outgoing, 'response')) as [IncomingMessage];
  return response.resume();
}

async function openSession(): Promise<Record<string, string>> {
  const params = { protocolVersion: '2025-11-25', capabilities: {}, clientInfo: { name: 'test', version: '1' } };
  const { headers } = await answerTo(post({ jsonrpc: '2.0', id: 0, method: 'initialize', params }));
  return { 'mcp-session-id': String(headers['mcp-session-id']) };
}

// abuse 95: frontend
test('wire 101: a cancellation on the stream stops the work of the broker', { skip }, async () => {
  const client = await pair.connect('ops');
  const start = (): Promise<unknown> => client.post(JSON.stringify(body()));
  const { code } = await outcome(start, () => client.post(JSON.stringify(CANCEL)));
  assert.equal(code, 'CANCELLED');
  await client.rpc('ping');
  assert.equal(client.messages.length, 1);
  client.close();
});

test('wire 075: a stream that is closed does too', { skip }, async () => {
  const client = await pair.connect('ops');
  const { code } = await outcome(
    () => client.post(JSON.stringify(body())),
    () => client.close(),
  );
  assert.equal(code, 'CANCELLED');
});

test('a WebSocket that is closed does too', { skip }, async () => {
  const headers = { authorization: `Bearer ${pair.token('ops')}` };
  const socket = new WebSocket(`${pair.url.replace('https', 'wss')}/ws`, 'mcp', { headers, ca: pair.ca });
  await once(socket, 'open');
  const { code } = await outcome(
    () => socket.send(JSON.stringify(body())),
    () => socket.terminate(),
  );
  assert.equal(code, 'CANCELLED');
});

test('wire 125: without a session hanging up is a cancellation', { skip }, async () => {
  const prefix = 'io.modelcontextprotocol/';
  const _meta = { [`${prefix}protocolVersion`]: '2026-07-28', [`${prefix}clientCapabilities`]: {} };
  const headers = { 'mcp-protocol-version': '2026-07-28', 'mcp-method': 'tools/call', 'mcp-name': WALK.name };
  let asked: ClientRequest | undefined;
  const start = (): void => void (asked = post(body({ _meta }), headers));
  const { code } = await outcome(start, () => asked?.destroy());
  assert.equal(code, 'CANCELLED');
});

test('wire 114: with a session it is none: the work goes on until it is cancelled by name', { skip }, async () => {
  const session = await openSession();
  let asked: ClientRequest | undefined;
  const start = (): void => void (asked = post(body(), session));
  const { code } = await outcome(start, async () => {
    asked?.destroy();
    assert.equal((await answerTo(post(body(), session))).statusCode, 400); // its id is still in flight
    assert.equal((await answerTo(post(CANCEL, session))).statusCode, 202);
  });
  assert.equal(code, 'CANCELLED');
});
