/** The endpoint `/mcp` as clients with sessions use it, over the whole frontend. */
import assert from 'node:assert/strict';
import { after, before, describe, test } from 'node:test';
import { http } from '../../testing/client.ts';
import { heldWork, startHarness, type Harness } from '../../testing/harness.ts';
import { initialize, openMcp, postMcp, type McpSessionClient } from '../../testing/mcp-client.ts';

let it: Harness;
before(async () => {
  const limits = 'limits: {max_sessions_per_user: 200, max_sessions: 400, requests_per_second: 100000, burst: 100000}\n';
  it = await startHarness({ rest: limits });
});
after(() => it.stop());

const codeIn = ({ messages }: { messages: readonly { error?: { code: number } }[] }): number | undefined =>
  messages[0]?.error?.code;
const slow = (ms: number, text: string) => () => new Promise((done) => setTimeout(() => done(text), ms));
const call = (id: string | number, extra: object = {}): object => ({
  jsonrpc: '2.0',
  id,
  method: 'tools/call',
  params: { name: 'memory/usage', ...extra },
});

describe('the handshake', () => {
  test('wire 104, 124: answers JSON with a session id, instructions and what this endpoint offers', async () => {
    const { handshake, id } = await openMcp(it.target);
    assert.equal(handshake.status, 200);
    assert.match(id, /^[\x21-\x7e]{32,}$/);
    const { result } = handshake.messages[0]!;
    assert.deepEqual(result?.['capabilities'], { completions: {}, resources: {}, tools: { listChanged: true } });
    assert.match(String(result?.['instructions']), /privileged/);
    assert.equal(result?.['resultType'], undefined);
  });

  test('wire 050: negotiates: what was asked for if it is spoken, else the newest with sessions', async () => {
    const answers = {
      '2024-11-05': '2024-11-05',
      '2025-03-26': '2025-03-26',
      '2025-06-18': '2025-06-18',
      '2025-11-25': '2025-11-25',
      '1.0': '2025-11-25',
      '9999-01-01': '2025-11-25',
    };
    for (const [asked, spoken] of Object.entries(answers)) {
      const { handshake } = await openMcp(it.target, asked);
      assert.equal(handshake.messages[0]?.result?.['protocolVersion'], spoken, asked);
    }
    assert.equal(codeIn(await postMcp(it.target, initialize(7))), -32602);
    assert.equal(codeIn(await postMcp(it.target, { jsonrpc: '2.0', id: 1, method: 'initialize' })), -32602);
  });

  test('wire 048: a second one in the same session is refused', async () => {
    const session = await openMcp(it.target);
    const again = await session.post(initialize());
    assert.deepEqual([again.status, codeIn(again)], [400, -32600]);
    assert.equal((await session.ask(1, 'ping')).status, 200);
  });
});

describe('sessions', () => {
  test('wire 105, 106, 107: none: 400; unknown, deleted, of another user: 404', async () => {
    const session = await openMcp(it.target);
    assert.equal((await postMcp(it.target, { jsonrpc: '2.0', id: 1, method: 'ping' })).status, 400);
    assert.equal((await session.ask(1, 'ping', undefined, { 'mcp-session-id': 'nobody' })).status, 404);
    const foreign = await session.ask(1, 'ping', undefined, { authorization: 'Bearer bob' });
    const unknown = await session.ask(1, 'ping', undefined, { authorization: 'Bearer bob', 'mcp-session-id': 'x' });
    assert.deepEqual([foreign.status, foreign.body], [404, unknown.body]);
    assert.equal((await session.ask(1, 'ping', undefined, { authorization: 'Bearer mallory' })).status, 401);
    assert.equal((await session.send('DELETE', '/mcp', { authorization: 'Bearer bob' })).status, 404);
    assert.equal((await session.ask(2, 'ping')).status, 200);
    assert.equal((await session.send('DELETE')).status, 204);
    assert.equal((await session.send('DELETE')).status, 404);
    assert.equal((await session.ask(3, 'ping')).status, 404);
    assert.equal((await session.stream()).statusCode, 404);
  });

  test('a session of one transport is none of another', async () => {
    const [session, sse] = [await openMcp(it.target), await it.sse()];
    const headers = { authorization: 'Bearer alice', 'content-type': 'application/json' };
    const body = JSON.stringify({ jsonrpc: '2.0', id: 1, method: 'ping' });
    const crossed = await http(it.target, { method: 'POST', path: `/message?session_id=${session.id}`, headers, body });
    assert.equal(crossed.status, 404);
    const id = /session_id=(.*)/.exec(sse.endpoint)?.[1] ?? '';
    assert.equal((await session.ask(1, 'ping', undefined, { 'mcp-session-id': id })).status, 404);
    sse.close();
  });

  test('equal ids of many sessions never meet', async () => {
    it.deeds.list = async ({ path }) => {
      await new Promise((done) => setTimeout(done, Math.random() * 20));
      return [path];
    };
    const sessions = await Promise.all(Array.from({ length: 16 }, () => openMcp(it.target)));
    const ask = async (session: McpSessionClient, index: number): Promise<void> => {
      const params = { name: 'files/list', arguments: { path: `/of-${index}` } };
      const { messages } = await session.ask(1, 'tools/call', params);
      assert.equal(messages[0]?.result?.content?.[0]?.text, `/of-${index}`);
    };
    for (let round = 0; round < 5; round += 1) await Promise.all(sessions.map(ask));
  });
});

test('wire 081: at the limit of a user the session that is idle longest gives way; one with a stream never does', async () => {
  const own = await startHarness({ rest: 'limits: {max_sessions_per_user: 2, max_sessions: 3}\n' });
  const [first, second] = [await openMcp(own.target), await openMcp(own.target)];
  assert.equal((await first.ask(1, 'ping')).status, 200);
  const third = await openMcp(own.target);
  assert.deepEqual([third.handshake.status, (await second.ask(1, 'ping')).status], [200, 404]);
  const streams = [await first.stream(), await third.stream()];
  const refused = await postMcp(own.target, initialize());
  assert.deepEqual([refused.status, refused.headers['retry-after'] !== undefined], [429, true]);
  assert.equal((await first.ask(2, 'ping')).status, 200);
  const others = await openMcp(own.target, undefined, { authorization: 'Bearer bob' });
  assert.equal(others.handshake.status, 200);
  assert.equal((await postMcp(own.target, initialize(), { authorization: 'Bearer bob' })).status, 503);
  for (const stream of streams) stream.destroy();
  await own.stop();
});

describe('the form of the answer', () => {
  test('wire 110: follows what is accepted', async () => {
    const session = await openMcp(it.target);
    const types = {
      'application/json': /^application\/json/,
      'text/event-stream': /^text\/event-stream/,
      '*/*': /^application\/json/,
      'application/json, text/event-stream': /^application\/json/,
    };
    for (const [accept, type] of Object.entries(types)) {
      const answer = await session.ask(1, 'ping', undefined, { accept });
      assert.match(answer.headers['content-type'] ?? '', type, accept);
      assert.deepEqual(answer.messages, [{ jsonrpc: '2.0', id: 1, result: {} }]);
    }
    assert.equal((await session.ask(1, 'ping', undefined, { accept: 'text/html' })).status, 406);
    assert.equal((await postMcp(it.target, initialize(), { accept: 'text/html' })).status, 406);
  });

  test('becomes a stream when it takes long', async () => {
    const session = await openMcp(it.target);
    it.deeds.usage = slow(1300, 'late');
    const stream = await session.post(call('a'));
    assert.match(stream.headers['content-type'] ?? '', /^text\/event-stream/);
    assert.equal(stream.headers['x-accel-buffering'], 'no');
    assert.equal(stream.messages[0]?.result?.content?.[0]?.text, 'late');
    const json = await session.post(call('b'), { accept: 'application/json' });
    assert.match(json.headers['content-type'] ?? '', /^application\/json/);
    assert.equal(json.messages[0]?.result?.content?.[0]?.text, 'late');
  });

  test('large answers are whole in both forms', async () => {
    const session = await openMcp(it.target);
    it.deeds.list = () => Array<string>(300).fill('é'.repeat(10_000));
    for (const accept of ['application/json', 'text/event-stream']) {
      const params = { name: 'files/list', arguments: { path: '/' } };
      const { messages } = await session.ask(1, 'tools/call', params, { accept });
      assert.equal(messages[0]?.result?.content?.[0]?.text.length, 3_000_000, accept);
    }
  });

  test('wire 036, 037, 112: notifications and responses: 202 and nothing else', async () => {
    const session = await openMcp(it.target);
    for (const body of [
      { jsonrpc: '2.0', method: 'notifications/initialized' },
      { jsonrpc: '2.0', method: 'tools/call', params: { name: 'memory/usage' } },
      { jsonrpc: '2.0', id: 1, result: {} },
    ]) {
      const answer = await session.post(body);
      assert.deepEqual([answer.status, answer.body], [202, '']);
    }
    assert.equal((await session.post({ jsonrpc: '2.0', id: 1, result: {}, error: {} })).status, 400);
  });
});

describe('what is no request', () => {
  test('wire 029, 030, 032, 093: is answered 400, with the id if there is one', async () => {
    const session = await openMcp(it.target);
    const malformed = await session.post('{"jsonrpc"');
    assert.deepEqual([malformed.status, codeIn(malformed)], [400, -32700]);
    assert.equal('id' in malformed.messages[0]!, false);
    const unfit = await session.post({ id: 'me', method: 'ping' });
    assert.deepEqual([unfit.status, unfit.messages[0]?.id, codeIn(unfit)], [400, 'me', -32600]);
    for (const id of [null, true, {}, [], 1.5, 2 ** 60]) {
      assert.equal((await session.post({ jsonrpc: '2.0', id, method: 'ping' })).status, 400, JSON.stringify(id));
    }
    assert.equal((await session.post(' ')).status, 400);
    assert.equal((await session.post(Buffer.from([0x7b, 0xff, 0x7d]))).status, 400);
    assert.equal((await session.post('['.repeat(10_000))).status, 400);
    assert.equal((await session.ask(1, 'ping', undefined, { 'content-type': 'text/plain' })).status, 415);
    assert.equal(codeIn(await session.ask(1, 'no/such')), -32601);
    assert.equal(codeIn(await session.ask(1, 'tools/list', [])), -32602);
    assert.equal(codeIn(await session.ask(1, 'resources/read', { uri: 'no://such' })), -32002);
  });

  test('an id that is in flight is refused, the first is answered', async () => {
    const session = await openMcp(it.target);
    const held = heldWork();
    it.deeds.usage = held.work;
    const first = session.post(call(7));
    await held.begun();
    assert.equal((await session.post(call(7))).status, 400);
    const other = session.post(call('7'));
    await held.begun(2);
    held.end('done');
    const [text, number] = await Promise.all([other, first]);
    assert.deepEqual([text.messages[0]?.id, number.messages[0]?.id], ['7', 7]);
  });

  test('wire 111: the version header: absent or spoken is fine, anything else 400', async () => {
    const session = await openMcp(it.target);
    const ask = async (version: string) => (await session.ask(1, 'ping', undefined, { 'mcp-protocol-version': version })).status;
    assert.deepEqual(await Promise.all(['2025-11-25', '2025-06-18', '1.0'].map(ask)), [200, 200, 400]);
    assert.equal((await session.stream({ 'mcp-protocol-version': '1.0' })).statusCode, 400);
  });

  test('wire 116: other methods of HTTP', async () => {
    const session = await openMcp(it.target);
    for (const method of ['PUT', 'PATCH']) {
      const answer = await session.send(method);
      assert.deepEqual([answer.status, answer.headers['allow']], [405, 'GET, POST, DELETE'], method);
    }
  });
});

describe('batches', () => {
  const batch = [
    { jsonrpc: '2.0', id: 1, method: 'ping' },
    { jsonrpc: '2.0', method: 'notifications/initialized' },
    { jsonrpc: '2.0', id: 2, method: 'tools/list' },
  ];

  test('wire 053, 055: are served in the revision that has them', async () => {
    const session = await openMcp(it.target, '2025-03-26');
    const answer = await session.post(batch);
    assert.deepEqual(answer.messages.map(({ id }) => id).sort(), [1, 2]);
    const bad = await session.post([{ jsonrpc: '2.0', id: 3, method: 'ping' }, 5]);
    assert.deepEqual(bad.messages.map(({ error }) => error?.code).sort(), [-32600, undefined]);
    assert.equal((await session.post([])).status, 400);
    assert.equal((await session.post([initialize()])).status, 400);
    assert.equal((await session.post(Array(101).fill(batch[0]))).status, 400);
  });

  test('wire 054: are refused in those that do not', async () => {
    for (const version of ['2025-06-18', '2025-11-25']) {
      const answer = await (await openMcp(it.target, version)).post(batch);
      assert.deepEqual([answer.status, codeIn(answer)], [400, -32600]);
    }
  });
});
