/** What a POST may be: its headers, its body, and the JSON-RPC in it, over the whole frontend. */
import assert from 'node:assert/strict';
import { connect } from 'node:net';
import { after, before, describe, test } from 'node:test';
import { heldWork, startHarness, type Harness } from '../testing/harness.ts';
import type { SseClient } from '../testing/client.ts';

let it: Harness;
let client: SseClient;
before(async () => {
  it = await startHarness({ rest: 'limits: {max_body_bytes: 4096, requests_per_second: 100000, burst: 100000}\n' });
  client = await it.sse();
});
after(() => it.stop());

const ping = (id: unknown): object => ({ jsonrpc: '2.0', id, method: 'ping' });
const codeOf = (body: string): unknown => (JSON.parse(body) as { error: { code: number } }).error.code;

/** Sends bytes as they are and returns everything until the connection closes, or `ms` have passed. */
function raw(pieces: readonly (string | Buffer)[], ms = 3000, pauseMs = 1): Promise<{ text: string; closed: boolean }> {
  return new Promise((done) => {
    const socket = connect(it.target.port, '127.0.0.1');
    let text = '';
    const late = setTimeout(() => done({ text, closed: false }), ms);
    socket.on('data', (bytes) => (text += bytes.toString()));
    socket.on('error', () => undefined);
    socket.on('close', () => {
      clearTimeout(late);
      done({ text, closed: true });
    });
    void (async () => {
      for (const piece of pieces) {
        if (!socket.destroyed) socket.write(piece);
        if (pauseMs > 0) await new Promise((next) => setTimeout(next, pauseMs));
      }
    })();
  });
}

const head = (headers: string, token = 'alice'): string =>
  `POST ${client.endpoint} HTTP/1.1\r\nHost: x\r\nAuthorization: Bearer ${token}\r\n${headers}\r\n`;
const JSON_TYPE = 'Content-Type: application/json\r\n';

describe('headers', () => {
  test('wire 062, 066: only application/json, in any case and with parameters', async () => {
    const types = {
      'application/json; charset=utf-8': 202,
      'Application/JSON': 202,
      'text/plain': 415,
      'application/json-rpc': 415,
    };
    let id = 100;
    for (const [type, status] of Object.entries(types)) {
      assert.equal((await client.post(ping((id += 1)), { 'content-type': type })).status, status, type);
    }
    assert.equal((await client.post(ping(1), { 'content-type': '' })).status, 415);
    assert.equal((await client.post(ping(1), { 'content-encoding': 'gzip' })).status, 415);
    assert.equal(
      (await client.post(ping(110), { 'content-encoding': 'identity', 'mcp-protocol-version': '2099-01-01' })).status,
      202,
    );
  });

  test('wire 070: too many headers, or too many bytes of them: 431; a bad request line: 400', async () => {
    assert.match((await raw([`GET /sse HTTP/1.1\r\nHost: x\r\nX: ${'a'.repeat(65_536)}\r\n\r\n`])).text, /^HTTP\/1\.1 431 /);
    assert.match((await raw(['NONSENSE\r\n\r\n'])).text, /^HTTP\/1\.1 400 /);
    const many = (count: number): string => Array.from({ length: count }, (_, n) => `X-${n}: ${n}\r\n`).join('');
    const ask = async (count: number): Promise<string> =>
      (await raw([`GET /nowhere HTTP/1.1\r\nHost: x\r\n${many(count)}Connection: close\r\n\r\n`])).text;
    assert.match(await ask(100), /^HTTP\/1\.1 404 /);
    assert.match(await ask(5000), /^HTTP\/1\.1 431 /);
  });

  test('wire 065: 100-continue: 401 at once for a bad token, else continue and 202', async () => {
    const body = JSON.stringify(ping(120));
    const headers = `${JSON_TYPE}Content-Length: ${body.length}\r\nExpect: 100-continue\r\n`;
    const refused = await raw([head(headers, 'mallory')]);
    assert.match(refused.text, /^HTTP\/1\.1 401 /);
    assert.equal(refused.closed, true);
    const accepted = await raw([head(`${headers}Connection: close\r\n`), body], 3000, 50);
    assert.match(accepted.text, /^HTTP\/1\.1 100 Continue\r\n\r\nHTTP\/1\.1 202 /);
    await client.answerTo(120);
  });
});

describe('the size of the body', () => {
  test('wire 063: a declared length over the limit is refused unread', async () => {
    const { text } = await raw([head(`${JSON_TYPE}Content-Length: 5000\r\n`)], 1500);
    assert.match(text, /^HTTP\/1\.1 413 /);
    const waiting = await raw([head(`${JSON_TYPE}Content-Length: 5000\r\nExpect: 100-continue\r\n`)], 1500);
    assert.match(waiting.text, /^HTTP\/1\.1 413 /);
  });

  test('wire 064: a chunked body is refused when it passes the limit, and the connection is closed', async () => {
    const chunk = `400\r\n${' '.repeat(1024)}\r\n`;
    const { text, closed } = await raw([head(`${JSON_TYPE}Transfer-Encoding: chunked\r\n`), ...Array<string>(6).fill(chunk)]);
    assert.match(text, /^HTTP\/1\.1 413 /);
    assert.equal(closed, true);
  });

  test('wire 068: a body that is cut off dispatches nothing', async () => {
    const before = it.log.length;
    const socket = connect(it.target.port, '127.0.0.1');
    socket.on('error', () => undefined);
    socket.write(head(`${JSON_TYPE}Content-Length: 100\r\n`) + JSON.stringify(ping('cut')));
    await new Promise((done) => setTimeout(done, 50));
    socket.destroy();
    await client.until(() => (it.log.length > before ? true : undefined));
    assert.equal(
      client.events.flat().some((event) => event.id === 'cut'),
      false,
    );
  });

  test('wire 059: a body in pieces of one byte, cut within characters, is read right', async () => {
    const body = Buffer.from(JSON.stringify(ping('é\u{1f600}')));
    const { text } = await raw(
      [
        head(`${JSON_TYPE}Connection: close\r\nContent-Length: ${body.length}\r\n`),
        ...[...body].map((byte) => Buffer.from([byte])),
      ],
      4000,
    );
    assert.match(text, /^HTTP\/1\.1 202 /);
    await client.answerTo('é\u{1f600}');
  });
});

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
