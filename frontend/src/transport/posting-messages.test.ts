/** The JSON-RPC in the body of a POST, over the whole frontend: what is refused at once, and what is answered on the stream. */
import assert from 'node:assert/strict';
import { after, before, describe, test } from 'node:test';
import { heldWork, startWithStream, type Harness } from '../testing/harness.ts';
import { ping, type SseClient } from '../testing/client.ts';

let it: Harness;
let client: SseClient;
before(async () => void ({ it, client } = await startWithStream('max_body_bytes: 4096')));
after(() => it.stop());

const codeOf = (body: string): unknown => (JSON.parse(body) as { error: { code: number } }).error.code;

describe('what cannot be answered on the stream', () => {
  const cases: [string, string | Buffer, number][] = [
    ['wire 032: malformed JSON', '{"jsonrpc":', -32700],
    ['wire 033: an empty body', '', -32700],
    ['wire 033: blanks', ' \n', -32700],
    ['wire 033: an empty string', '""', -32600],
    ['wire 033: a string', '"x"', -32600],
    ['wire 033: a number', '5', -32600],
    ['wire 033: null', 'null', -32600],
    ['wire 058: invalid UTF-8', Buffer.from([0x22, 0xff, 0x22]), -32700],
    ['wire 058: UTF-8 that ends too early', Buffer.from([0x22, 0x22, 0xc3]), -32700],
    ['wire 058: UTF-16', Buffer.from('{"jsonrpc":"2.0","id":1,"method":"ping"}', 'utf16le'), -32700],
    ['wire 029: id null', '{"jsonrpc":"2.0","id":null,"method":"ping"}', -32600],
    ['wire 030: id true', '{"jsonrpc":"2.0","id":true,"method":"ping"}', -32600],
    ['wire 030: id an object', '{"jsonrpc":"2.0","id":{},"method":"ping"}', -32600],
    ['wire 030: id an array', '{"jsonrpc":"2.0","id":[1],"method":"ping"}', -32600],
    ['wire 030: id a fraction', '{"jsonrpc":"2.0","id":1.5,"method":"ping"}', -32600],
    ['wire 028: id above 2^53', '{"jsonrpc":"2.0","id":9007199254740993,"method":"ping"}', -32600],
    ['wire 037: result and error', '{"jsonrpc":"2.0","id":1,"result":{},"error":{}}', -32600],
    ['wire 055: an empty batch', '[]', -32600],
    ['wire 055: initialize in a batch', '[{"jsonrpc":"2.0","id":1,"method":"initialize"}]', -32600],
    ['wire 055: a batch of 101', JSON.stringify(Array(101).fill({ jsonrpc: '2.0', method: 'x' })), -32600],
  ];
  for (const [name, body, code] of cases) {
    test(name, async () => {
      const events = client.events.length;
      const answer = await client.post(body);
      assert.deepEqual([answer.status, codeOf(answer.body)], [400, code]);
      assert.equal(client.events.length, events);
    });
  }

  test('wire 056: nesting beyond the limit', async () => {
    const answer = await client.post(`{"a":${'['.repeat(100)}${']'.repeat(100)}}`);
    assert.deepEqual([answer.status, codeOf(answer.body)], [400, -32600]);
  });

  test('wire 031: an id that is in flight; the first is answered once', async () => {
    const held = heldWork();
    it.deeds.usage = held.work;
    const first = client.call('twice', 'memory/usage');
    await held.begun();
    const second = await client.post(ping('twice'));
    assert.deepEqual([second.status, codeOf(second.body)], [400, -32600]);
    assert.equal((await client.post([ping('x1'), ping('x1')])).status, 400);
    held.end('done');
    assert.equal((await first).result?.content?.[0]?.text, 'done');
    assert.equal(client.events.flat().filter((event) => event.id === 'twice').length, 1);
  });
});

describe('what is answered on the stream', () => {
  test('wire 025, 026, 027: ids come back exactly, strings beside numbers', async () => {
    const ids = ['7', 7, 0, -1, 'a'.repeat(200), 'é"\n\u2028', '\ud800', Number.MAX_SAFE_INTEGER];
    for (const id of ids) assert.equal((await client.post(ping(id))).status, 202);
    for (const id of ids) assert.deepEqual(await client.answerTo(id), { jsonrpc: '2.0', id, result: {} });
  });

  test('wire 034, 035, 037, 038, 039, 040: requests that are wrong but can be answered are 202 and an error', async () => {
    const cases: [object, number][] = [
      [{ id: 'e1', method: 'ping' }, -32600],
      [{ jsonrpc: '1.0', id: 'e2', method: 'ping' }, -32600],
      [{ jsonrpc: '2.0', id: 'e3', params: {} }, -32600],
      [{ jsonrpc: '2.0', id: 'e4', method: 5 }, -32600],
      [{ jsonrpc: '2.0', id: 'e5', method: 'nowhere' }, -32601],
      [{ jsonrpc: '2.0', id: 'e6', method: '__proto__' }, -32601],
      [{ jsonrpc: '2.0', id: 'e7', method: 'constructor' }, -32601],
      [{ jsonrpc: '2.0', id: 'e8', method: 'toString' }, -32601],
      [{ jsonrpc: '2.0', id: 'e9', method: 'rpc.x' }, -32601],
      [{ jsonrpc: '2.0', id: 'e10', method: 'ping', params: [] }, -32602],
      [{ jsonrpc: '2.0', id: 'e11', method: 'ping', params: 'x' }, -32602],
      [{ jsonrpc: '2.0', id: 'e12', method: 'ping', params: 5 }, -32602],
      [{ jsonrpc: '2.0', id: 'e13' }, -32600],
    ];
    for (const [message, code] of cases) {
      assert.equal((await client.post(message)).status, 202);
      assert.equal((await client.answerTo((message as { id: string }).id)).error?.code, code, JSON.stringify(message));
    }
  });

  test('wire 098: what later revisions have is not there', async () => {
    for (const method of ['prompts/list', 'logging/setLevel', 'resources/subscribe', 'completion/complete', 'server/discover']) {
      assert.equal((await client.ask(`later ${method}`, method)).error?.code, -32601, method);
    }
  });

  test('wire 058: a byte order mark is tolerated', async () => {
    assert.equal((await client.post(`\ufeff${JSON.stringify(ping('bom'))}`)).status, 202);
    await client.answerTo('bom');
  });

  test('wire 041, 042: null and unknown params are harmless', async () => {
    assert.deepEqual((await client.ask('p1', 'ping', null)).result, {});
    assert.ok(Array.isArray((await client.ask('p3', 'tools/list', null)).result?.['tools']));
    assert.deepEqual((await client.ask('p2', 'ping', { _meta: { a: 1 }, more: true })).result, {});
  });

  test('wire 036, 043, 044, 045: notifications, responses and requests without an id are accepted and do nothing', async () => {
    let calls = 0;
    it.deeds.usage = () => (calls += 1);
    const events = client.events.length;
    const silent = [
      { jsonrpc: '2.0', method: 'notifications/initialized' },
      { jsonrpc: '2.0', method: 'notifications/initialized' },
      { jsonrpc: '2.0', method: 'nowhere' },
      { jsonrpc: '2.0', method: 'tools/call', params: { name: 'memory/usage' } },
      { jsonrpc: '2.0', id: 1, result: {} },
      { jsonrpc: '2.0', method: 'notifications/cancelled', params: { requestId: 'nobody' } },
      { jsonrpc: '2.0', method: 'notifications/cancelled', params: 5 },
    ];
    for (const message of silent) assert.equal((await client.post(message)).status, 202);
    assert.equal((await client.post(silent)).status, 202);
    await client.ask('after', 'ping');
    assert.deepEqual([client.events.length, calls], [events + 1, 0]);
  });

  test('wire 052: a batch is answered by one array; members are judged one by one', async () => {
    const batch = [ping('b1'), { jsonrpc: '2.0', method: 'x' }, 5, { jsonrpc: '2.0', id: 'b2', method: 'nowhere' }];
    assert.equal((await client.post(batch)).status, 202);
    await client.answerTo('b2');
    const answer = client.events.at(-1);
    assert.ok(Array.isArray(answer));
    assert.deepEqual(
      answer.map(({ id, error }) => [id, error?.code]),
      [
        ['b1', undefined],
        [null, -32600],
        ['b2', -32601],
      ],
    );
  });
});
