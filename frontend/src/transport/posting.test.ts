/** What a POST may be as HTTP: its headers and the size of its body, over the whole frontend. */
import assert from 'node:assert/strict';
import { connect } from 'node:net';
import { after, before, describe, test } from 'node:test';
import { startWithStream, type Harness } from '../testing/harness.ts';
import { ping, type SseClient } from '../testing/client.ts';

let it: Harness;
let client: SseClient;
before(async () => void ({ it, client } = await startWithStream('max_body_bytes: 4096')));
after(() => it.stop());

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

  test('wire 009: a call whose stream is closed while its body comes is not made', async () => {
    const own = await it.sse();
    let calls = 0;
    it.deeds.usage = () => `${(calls += 1)}`;
    const body = JSON.stringify({ jsonrpc: '2.0', id: 1, method: 'tools/call', params: { name: 'memory/usage' } });
    const socket = connect(it.target.port, '127.0.0.1');
    let text = '';
    socket.on('data', (bytes) => (text += bytes.toString()));
    const closed = new Promise((done) => socket.once('close', done));
    const headers = `${JSON_TYPE}Connection: close\r\nContent-Length: ${body.length}\r\n`;
    socket.write(head(headers).replace(client.endpoint, own.endpoint) + body.slice(0, 9));
    await new Promise((done) => setTimeout(done, 50)); // else it is found to be closed before the body is waited for
    own.close();
    while ((await own.post(ping(2))).status !== 404) await new Promise((done) => setTimeout(done, 5));
    socket.write(body.slice(9));
    await closed;
    assert.match(text, /^HTTP\/1\.1 404 /);
    assert.equal(calls, 0);
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
