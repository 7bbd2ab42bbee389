/** The endpoint `/ws`, over the whole frontend. */
import assert from 'node:assert/strict';
import { request, type IncomingMessage } from 'node:http';
import { once } from 'node:events';
import { after, before, describe, test } from 'node:test';
import { WebSocket } from 'ws';
import { heldWork, startHarness, type Harness } from '../testing/harness.ts';
import type { Notice } from '../testing/mcp-client.ts';

let it: Harness;
before(async () => {
  it = await startHarness({
    rest: 'limits: {max_body_bytes: 65536, max_sessions: 4, max_sessions_per_user: 3, requests_per_second: 100000, burst: 100000}\n',
    server: '  sse_keepalive_seconds: 1\n  allowed_origins: ["https://app.example"]\n',
  });
});
after(() => it.stop());

/** A client that keeps every message. */
class Client {
  readonly socket: WebSocket;
  readonly messages: Notice[] = [];

  constructor(token: string, path = '/ws', protocols: string[] = ['mcp'], headers: Record<string, string> = {}) {
    const own = token === '' ? {} : { authorization: `Bearer ${token}` };
    this.socket = new WebSocket(`ws://127.0.0.1:${it.target.port}${path}`, protocols, { headers: { ...own, ...headers } });
    this.socket.on('message', (data: Buffer) => this.messages.push(JSON.parse(data.toString()) as Notice));
    this.socket.on('error', () => undefined);
  }

  send(body: unknown): void {
    this.socket.send(typeof body === 'string' || Buffer.isBuffer(body) ? body : JSON.stringify(body));
  }

  async ask(id: unknown, method: string, params?: unknown): Promise<Notice> {
    this.send({ jsonrpc: '2.0', id, method, ...(params === undefined ? {} : { params }) });
    return this.until(() => this.messages.find((message) => message.id === id));
  }

  async until<T>(condition: () => T | undefined): Promise<T> {
    for (let tries = 0; tries < 500; tries += 1) {
      const value = condition();
      if (value !== undefined) return value;
      await new Promise((done) => setTimeout(done, 10));
    }
    throw new Error('nothing came of it');
  }

  /** Code of the close. */
  async closed(): Promise<number> {
    const [code] = (await once(this.socket, 'close')) as [number];
    return code;
  }

  async close(): Promise<void> {
    this.socket.close();
    if (this.socket.readyState !== WebSocket.CLOSED) await this.closed();
  }
}

async function open(...given: ConstructorParameters<typeof Client>): Promise<Client> {
  const client = new Client(...given);
  await once(client.socket, 'open');
  return client;
}

/** The answer to an upgrade that is refused. */
async function refusal(...given: ConstructorParameters<typeof Client>): Promise<IncomingMessage> {
  const client = new Client(...given);
  const [, response] = (await once(client.socket, 'unexpected-response')) as [unknown, IncomingMessage];
  client.socket.terminate();
  return response;
}
const refused = async (...given: Parameters<typeof refusal>): Promise<number | undefined> => (await refusal(...given)).statusCode;

describe('the upgrade', () => {
  test('wire 129, 130, 136: with token and subprotocol, or without the latter', async () => {
    const client = await open('alice');
    assert.equal(client.socket.protocol, 'mcp');
    assert.equal(client.socket.extensions, '');
    assert.deepEqual((await client.ask(1, 'ping')).result, {});
    await client.close();
    const plain = await open('alice', '/ws', []);
    assert.deepEqual((await plain.ask(1, 'ping')).result, {});
    await plain.close();
  });

  test('wire 130: refused: no token, bad token, bad origin, other path, plain GET', async () => {
    assert.equal(await refused(''), 401);
    assert.equal(await refused('mallory'), 401);
    assert.equal(await refused('alice', '/ws', ['mcp'], { origin: 'https://evil.example' }), 403);
    assert.equal(await refused('alice', '/ws', ['mcp'], { origin: 'null' }), 403);
    assert.equal(await refused('alice', '/other'), 404);
    assert.equal(await refused('alice', '/sse'), 405);
    assert.equal((await fetch(`http://127.0.0.1:${it.target.port}/ws`)).status, 426);
    const client = await open('alice', '/ws', ['mcp'], { origin: 'https://app.example' });
    await client.close();
  });

  test('another kind of upgrade is ignored', async () => {
    const headers = { authorization: 'Bearer alice', upgrade: 'h2c', connection: 'Upgrade, HTTP2-Settings' };
    const outgoing = request({ port: it.target.port, host: '127.0.0.1', path: '/sse', headers, agent: false }).end();
    const [response] = (await once(outgoing, 'response')) as [{ statusCode: number; destroy: () => void }];
    assert.equal(response.statusCode, 200);
    response.destroy();
  });

  test('wire 081: one session more than a user may have: 429; than all may have: 503; the others go on', async () => {
    const clients = [await open('bob'), await open('bob'), await open('bob')];
    const own = await refusal('bob');
    clients.push(await open('alice'));
    const all = await refusal('alice');
    assert.deepEqual([own.statusCode, all.statusCode], [429, 503]);
    for (const { headers } of [own, all]) assert.match(headers['retry-after'] ?? '', /^\d+$/);
    for (const client of clients) {
      assert.deepEqual((await client.ask(1, 'ping')).result, {});
      await client.close();
    }
  });
});

describe('messages', () => {
  test('handshake, calls, notices', async () => {
    const client = await open('alice');
    const { result } = await client.ask('i', 'initialize', { protocolVersion: '2025-06-18' });
    assert.equal(result?.['protocolVersion'], '2025-06-18');
    assert.deepEqual(result['capabilities'], { completions: {}, resources: {}, tools: { listChanged: true } });
    it.deeds.usage = () => 'ü\n"';
    assert.equal((await client.ask('c', 'tools/call', { name: 'memory/usage' })).result?.content?.[0]?.text, 'ü\n"');
    await it.broker.reload(it.broker.options.config ?? '');
    await client.until(() => client.messages.find(({ method }) => method === 'notifications/tools/list_changed'));
    await client.close();
  });

  test('wire 131: fragments in, fragments out', async () => {
    const client = await open('alice');
    const text = JSON.stringify({ jsonrpc: '2.0', id: 'é', method: 'ping' });
    for (const [index, character] of [...text].entries()) client.socket.send(character, { fin: index === text.length - 1 });
    await client.until(() => client.messages.find(({ id }) => id === 'é'));
    it.deeds.list = () => Array<string>(300).fill('é'.repeat(10_000));
    const large = client.ask('large', 'tools/call', { name: 'files/list', arguments: { path: '/' } });
    await client.ask('small', 'ping');
    assert.equal((await large).result?.content?.[0]?.text.length, 3_000_000);
    await client.close();
  });

  test('wire 133: what is no request is answered, and the connection goes on', async () => {
    const client = await open('alice');
    for (const [body, code] of [
      ['{"json', -32700],
      ['', -32700],
      ['[]', -32600],
      ['['.repeat(100), -32600],
      [JSON.stringify([{ jsonrpc: '2.0', id: 1, method: 'ping' }]), -32600],
      [JSON.stringify({ jsonrpc: '2.0', id: null, method: 'ping' }), -32600],
    ] as const) {
      client.messages.length = 0;
      client.send(body);
      const [answer] = await client.until(() => (client.messages.length > 0 ? client.messages : undefined));
      assert.deepEqual([answer?.id, answer?.error?.code], [null, code], body.slice(0, 20));
    }
    assert.deepEqual((await client.ask(1, 'ping')).result, {});
    await client.close();
  });

  test('wire 131, 132: binary, broken UTF-8 and too large ones end it', async () => {
    const [binary, broken, large] = [await open('alice'), await open('alice'), await open('alice')];
    binary.send(Buffer.from('{}'));
    assert.equal(await binary.closed(), 1003);
    broken.socket.send(Buffer.from([0xff, 0xfe]), { binary: false });
    assert.equal(await broken.closed(), 1007);
    large.send(JSON.stringify('x'.repeat(70_000)));
    assert.equal(await large.closed(), 1009);
    const next = await open('alice');
    await next.close();
  });
});

describe('the end', () => {
  test('wire 102: initialize cannot be cancelled', async () => {
    const client = await open('alice');
    client.send({ jsonrpc: '2.0', id: 'i', method: 'initialize', params: { protocolVersion: '2025-11-25' } });
    client.send({ jsonrpc: '2.0', method: 'notifications/cancelled', params: { requestId: 'i' } });
    const { result } = await client.until(() => client.messages.find(({ id }) => id === 'i'));
    assert.equal(result?.['protocolVersion'], '2025-11-25');
    await client.close();
  });

  test('who goes away stops the calls', async () => {
    const client = await open('alice');
    const stopped = Promise.withResolvers<unknown>();
    it.deeds.usage = (signal) =>
      new Promise((_done, fail) =>
        signal.addEventListener('abort', () => {
          stopped.resolve(undefined);
          fail(signal.reason as Error);
        }),
      );
    client.send({ jsonrpc: '2.0', id: 1, method: 'tools/call', params: { name: 'memory/usage' } });
    await client.ask(2, 'ping');
    client.socket.terminate();
    await stopped.promise;
  });

  test('a token that is over closes the connection', async () => {
    const client = await open('alice');
    const closed = client.closed();
    await it.broker.reload(it.broker.options.config ?? '', [{ user: 'alice', token: 'test' }]);
    assert.equal(await closed, 1008);
  });

  test('the process ends: answers first', async () => {
    const own = await startHarness();
    const socket = new WebSocket(`ws://127.0.0.1:${own.target.port}/ws`, ['mcp'], { headers: { authorization: 'Bearer alice' } });
    await once(socket, 'open');
    const held = heldWork();
    own.deeds.usage = held.work;
    socket.send(JSON.stringify({ jsonrpc: '2.0', id: 1, method: 'tools/call', params: { name: 'memory/usage' } }));
    await held.begun();
    const [message, closed] = [once(socket, 'message'), once(socket, 'close')];
    const stopping = own.frontend.stop(60_000);
    held.end('finished');
    assert.match(String(((await message) as [Buffer])[0]), /finished/);
    assert.equal(((await closed) as [number])[0], 1001);
    await stopping;
    await own.broker.stop();
  });
});
