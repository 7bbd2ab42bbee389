/**
 * What only time shows: bodies that crawl, connections that are kept in silence, streams with nothing to say, readers that stop.
 * All wait at once, so that the whole takes as long as the longest. STEWARD_LONG=1 waits for as long as clients really do.
 */
import assert from 'node:assert/strict';
import { once } from 'node:events';
import { readFileSync, rmSync, writeFileSync } from 'node:fs';
import type { IncomingMessage } from 'node:http';
import { Agent, request } from 'node:https';
import { connect } from 'node:net';
import { join } from 'node:path';
import { after, before, describe, test } from 'node:test';
import { setTimeout as sleep } from 'node:timers/promises';
import { connect as connectTls } from 'node:tls';
import { WebSocket } from 'ws';
import { eventually, startPair, type Pair } from '../support/pair.ts';

/** Longer than six minutes: clients give up a silent stream after five. */
const SILENCE_MS = process.env['STEWARD_LONG'] === '1' ? 380_000 : 20_000;
const MIB = 1024 * 1024;

let pair: Pair;
let agent: Agent;
before(async () => {
  pair = await startPair({ daemon: 'limits: {max_sessions_per_user: 50, requests_per_second: 1000, burst: 1000}\n' });
  agent = new Agent({ ca: pair.ca, keepAlive: true, maxSockets: 1 });
});
after(async () => {
  agent.destroy();
  await pair.stop();
});

const INITIALIZE = {
  jsonrpc: '2.0',
  id: 0,
  method: 'initialize',
  params: { protocolVersion: '2025-11-25', capabilities: {}, clientInfo: { name: 'test', version: '1' } },
};

interface Answer {
  readonly response: IncomingMessage;
  /** It came over a connection that had served a request before. */
  readonly reused: boolean;
}

function ask(method: string, headers: Record<string, string>, body?: object, through: Agent | false = false): Promise<Answer> {
  const accept = { accept: 'application/json, text/event-stream', 'content-type': 'application/json' };
  const all = { authorization: `Bearer ${pair.token('ops')}`, ...accept, ...headers };
  return new Promise((done, fail) => {
    const settings = { method, ca: pair.ca, headers: all, agent: through };
    const outgoing = request(`${pair.url}/mcp`, settings, (response) => done({ response, reused: outgoing.reusedSocket }));
    outgoing.on('error', fail).end(body === undefined ? undefined : JSON.stringify(body));
  });
}

async function openSession(through: Agent | false = false): Promise<string> {
  const { response } = await ask('POST', {}, INITIALIZE, through);
  await once(response.resume(), 'end');
  return String(response.headers['mcp-session-id']);
}

describe('patience', { concurrency: true }, () => {
  for (const path of ['/message', '/mcp']) {
    test(`wire 067: a body that comes byte by byte to ${path} is given up, and nobody else notices`, async () => {
      const client = await pair.connect('ops');
      const socket = connectTls({ port: pair.port, host: '127.0.0.1', ca: pair.ca, checkServerIdentity: () => undefined });
      await once(socket, 'secureConnect');
      let answer = '';
      let closed = false;
      socket.on('data', (bytes: Buffer) => (answer += bytes.toString())).on('error', () => undefined);
      socket.once('close', () => (closed = true));
      const target = path === '/message' ? client.endpoint : path;
      const head = `Host: x\r\nAuthorization: Bearer ${pair.token('ops')}\r\nContent-Type: application/json\r\n`;
      socket.write(`POST ${target} HTTP/1.1\r\n${head}Content-Length: 1000\r\n\r\n`);
      for (let sent = 0; !closed && sent < 120; sent += 1) {
        socket.write(' ');
        assert.equal((await client.call('cpu/load-average')).isError, false);
        await sleep(1000);
      }
      assert.equal(closed, true);
      assert.match(answer, /^HTTP\/1\.1 408 /);
      client.close();
    });
  }

  test('wire 069: a connection that was kept in silence serves the next request', async () => {
    const session = await openSession(agent);
    await sleep(10_000);
    const ping = { jsonrpc: '2.0', id: 1, method: 'ping' };
    const { response, reused } = await ask('POST', { 'mcp-session-id': session }, ping, agent);
    assert.deepEqual([response.statusCode, reused], [200, true]);
    response.resume();
  });

  test('wire 022: half a handshake and silence: the connection is closed', async () => {
    const socket = connect(pair.port, '127.0.0.1', () => socket.write(Buffer.from([0x16, 3, 1, 2, 0, 1, 0])));
    socket.on('error', () => undefined).resume();
    await once(socket, 'close');
  });

  test(`wire 074: ${SILENCE_MS / 1000} seconds of silence end no stream`, async () => {
    const sse = await pair.connect('ops');
    const session = await openSession();
    const { response: back } = await ask('GET', { 'mcp-session-id': session });
    let comments = 0;
    back.setEncoding('utf8').on('data', (text: string) => (comments += text.split(': ping\n\n').length - 1));
    const headers = { authorization: `Bearer ${pair.token('ops')}` };
    const socket = new WebSocket(`${pair.url.replace('https', 'wss')}/ws`, 'mcp', { headers, ca: pair.ca });
    await once(socket, 'open');
    let pings = 0;
    socket.on('ping', () => (pings += 1));
    await sleep(SILENCE_MS);
    await eventually(() => comments > 0 && pings > 0 && sse.raw().includes('\n\n: ping\n\n'), 60_000);
    assert.equal((await sse.call('cpu/load-average')).isError, false);
    assert.deepEqual([back.closed, socket.readyState], [false, WebSocket.OPEN]);
    const message = once(socket, 'message') as Promise<[Buffer]>;
    socket.send(JSON.stringify({ jsonrpc: '2.0', id: 1, method: 'ping' }));
    assert.deepEqual(JSON.parse((await message)[0].toString()), { jsonrpc: '2.0', id: 1, result: {} });
    for (const stream of [sse, socket]) stream.close();
    back.destroy();
  });

  test('wire 077: a reader that stops while much waits loses its stream; memory stays small, others go on', async () => {
    const file = join(pair.directory, 'large');
    writeFileSync(file, `${'z'.repeat(1023)}\n`.repeat(8 * 1024), { mode: 0o644 });
    const other = await pair.connect('guest');
    const resident = (): number => Number(/^VmRSS:\s+(\d+)/m.exec(status())?.[1]) * 1024;
    const status = (): string => readFileSync(`/proc/${pair.pids('steward-frontend')[0]}/status`, 'latin1');
    const reader = await stoppedReader();
    const before = resident();
    let most = before;
    const params = { name: 'files/read', arguments: { path: file, limit: 8 * MIB } };
    for (let id = 0; id < 16; id += 1) {
      await reader.post({ jsonrpc: '2.0', id, method: 'tools/call', params }); // more than the kernel takes on the way
    }
    await eventually(async () => {
      most = Math.max(most, resident());
      assert.equal((await other.call('cpu/load-average')).isError, false);
      return pair.output().includes('the reader takes nothing');
    }, 90_000);
    assert.ok(most - before < 128 * MIB, `${Math.round((most - before) / MIB)} MiB more for 128 MiB of answers`);
    rmSync(file);
    reader.close();
    other.close();
  });
});

/** An SSE stream that nobody reads any more after its first event. */
async function stoppedReader() {
  const headers = { authorization: `Bearer ${pair.token('ops')}`, 'content-type': 'application/json' };
  const stream = await new Promise<IncomingMessage>((done, fail) => {
    request(`${pair.url}/sse`, { ca: pair.ca, headers, agent: false }, done).on('error', fail).end();
  });
  const [first] = (await once(stream.setEncoding('utf8'), 'data')) as [string];
  stream.on('error', () => undefined).pause();
  stream.socket.pause();
  const path = /data: (\S+)/.exec(first)?.[1] ?? '';
  const post = async (body: object): Promise<void> => {
    const { statusCode } = await new Promise<IncomingMessage>((done, fail) => {
      const outgoing = request(`${pair.url}${path}`, { method: 'POST', ca: pair.ca, headers, agent: false }, (response) =>
        done(response.resume()),
      );
      outgoing.on('error', fail).end(JSON.stringify(body));
    });
    assert.equal(statusCode, 202);
  };
  return { post, close: () => stream.destroy() };
}
