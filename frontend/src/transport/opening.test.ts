/** Opening a stream, authentication and routing, over the whole frontend. */
import assert from 'node:assert/strict';
import { after, before, describe, test } from 'node:test';
import { http } from '../testing/client.ts';
import { startHarness, type Harness } from '../testing/harness.ts';
import { openMcp } from '../testing/mcp-client.ts';

let it: Harness;
before(async () => {
  it = await startHarness({ server: '  allowed_origins: ["https://app.example"]\n' });
});

after(() => it.stop());

const bearer = (token: string): { authorization: string } => ({ authorization: `Bearer ${token}` });

describe('opening a stream', () => {
  test('wire 001, 072, 073: the first bytes are the endpoint event, under the right headers', async () => {
    const client = await it.sse();
    assert.match(client.raw, /^event: endpoint\ndata: \/message\?session_id=[A-Za-z0-9_-]{32}\n\n/);
    assert.equal(client.status, 200);
    assert.equal(client.headers['content-type'], 'text/event-stream');
    assert.equal(client.headers['cache-control'], 'no-cache, no-transform');
    assert.equal(client.headers['x-accel-buffering'], 'no');
    assert.equal(client.headers['steward-user'], 'alice');
    assert.equal(client.headers['content-length'], undefined);
    assert.equal(client.headers['transfer-encoding'], undefined);
    assert.equal(client.headers.connection, 'close');
    assert.equal(client.headers['content-encoding'], undefined);
  });

  test('wire 002, 020, 023, 046, 083: each stream is a session of its own; a query, Accept and Last-Event-ID change nothing', async () => {
    const first = await it.sse();
    const second = await it.sse('alice', { path: '/sse?x=1', headers: { accept: 'application/json', 'last-event-id': '7' } });
    assert.notEqual(first.endpoint, second.endpoint);
    const answer = await second.ask(1, 'ping');
    assert.deepEqual(answer, { jsonrpc: '2.0', id: 1, result: {} });
    assert.equal(first.events.length, 0);
  });

  test('wire 003, 004: no token, a malformed one, a wrong one: 401 with a challenge and no stream', async () => {
    for (const headers of [{}, { authorization: 'Basic alice' }, { authorization: 'Bearer  alice' }]) {
      const answer = await http(it.target, { path: '/sse', headers });
      assert.deepEqual([answer.status, answer.body], [401, 'Unauthorized']);
      assert.equal(answer.headers['steward-user'], undefined);
      assert.equal(answer.headers['www-authenticate'], 'Bearer realm="steward"');
    }
    const wrong = await http(it.target, { path: '/sse', headers: bearer('mallory') });
    assert.equal(wrong.status, 401);
    assert.match(wrong.headers['www-authenticate'] ?? '', /^Bearer realm="steward", error="invalid_token"/);
    const lower = await it.sse('', { headers: { authorization: 'bearer alice' } });
    assert.equal(lower.status, 200);
    const blankBehind = await it.sse('', { headers: { authorization: 'Bearer alice ' } }); // no part of the value (RFC 9110 5.5)
    assert.equal(blankBehind.status, 200);
  });
});

describe('posting', () => {
  test('wire 005, 006, 007: needs its own token, and the session of its own user', async () => {
    const client = await it.sse();
    const body = { jsonrpc: '2.0', id: 1, method: 'ping' };
    assert.equal((await client.post(body, { authorization: '' })).status, 401);
    assert.equal((await client.post(body, bearer('mallory'))).status, 401);
    const foreign = await client.post(body, bearer('bob'));
    const unknown = await http(it.target, {
      method: 'POST',
      path: '/message?session_id=nobody',
      headers: { ...bearer('bob'), 'content-type': 'application/json' },
      body: '{}',
    });
    assert.deepEqual([foreign.status, foreign.body], [404, unknown.body]);
    assert.equal(unknown.status, 404);
    await client.ask(2, 'ping');
    assert.equal(client.events.length, 1);
  });

  test('wire 008, 009: without a session: 400; after the stream is closed: 404', async () => {
    const headers = { ...bearer('alice'), 'content-type': 'application/json' };
    assert.equal((await http(it.target, { method: 'POST', path: '/message', headers, body: '{}' })).status, 400);
    const client = await it.sse();
    client.close();
    await client.closed;
    const late = performance.now() + 60_000;
    const statusOf = async (id: number): Promise<number> => (await client.post({ jsonrpc: '2.0', id, method: 'ping' })).status;
    let status = await statusOf(0);
    for (let id = 1; status === 202 && performance.now() < late; id += 1) status = await statusOf(id);
    assert.equal(status, 404);
  });
});

describe('paths and methods', () => {
  test('wire 011, 012, 013: other methods of known paths: 405 with what is allowed', async () => {
    const cases = [
      ['POST', '/sse', 'GET'],
      ['HEAD', '/sse', 'GET'],
      ['DELETE', '/sse', 'GET'],
      ['GET', '/message', 'POST'],
    ] as const;
    for (const [method, path, allow] of cases) {
      const answer = await http(it.target, { method, path, headers: bearer('alice') });
      assert.deepEqual([answer.status, answer.headers['allow']], [405, allow], `${method} ${path}`);
    }
  });

  test('wire 015, 024: everything else is 404 in JSON that names static tokens, with or without a token', async () => {
    const paths = [
      '/',
      '/sse/',
      '//sse',
      '/mcp/',
      '/ws/',
      '/mcp/.well-known/oauth-protected-resource',
      '/.well-known/oauth-protected-resource',
      '/authorize',
      '/constructor',
    ];
    for (const path of paths) {
      const answer = await http(it.target, { path, headers: path === '/' ? bearer('alice') : {} });
      assert.equal(answer.status, 404, path);
      assert.match((JSON.parse(answer.body) as { error: string }).error, /static bearer tokens/);
    }
    const register = await http(it.target, { method: 'POST', path: '/register', body: '{"a":1}' });
    assert.equal(register.status, 404);
  });
});

test('wire 024: a target that names the server too is what it is without it', async () => {
  const status = async (path: string): Promise<number> => (await http(it.target, { path, headers: bearer('alice') })).status;
  assert.equal((await it.sse('alice', { path: 'https://steward.example:9091/sse?x=1' })).status, 200);
  assert.equal(await status('HTTP://steward.example/message?session_id=x'), 405);
  for (const path of ['http://steward.example', 'ftp://steward.example/sse']) assert.equal(await status(path), 404);
});

describe('origins', () => {
  test('wire 017, 019: a foreign origin is refused before anything else', async () => {
    const opens = it.broker.count('open');
    for (const origin of ['https://evil.example', 'null']) {
      for (const [method, path] of [
        ['GET', '/sse'],
        ['POST', '/message'],
        ['OPTIONS', '/sse'],
        ['GET', '/nowhere'],
      ] as const) {
        const answer = await http(it.target, { method, path, headers: { ...bearer('fresh'), origin, host: 'evil.example' } });
        assert.equal(answer.status, 403, `${method} ${path}`);
        assert.equal('id' in (JSON.parse(answer.body) as object), false);
      }
    }
    assert.equal(it.broker.count('open'), opens);
  });

  test('wire 016: on no endpoint, with no method, with an effect', async () => {
    const [sse, session] = [await it.sse(), await openMcp(it.target)];
    const evil = { ...bearer('alice'), origin: 'https://evil.example' };
    const own = { 'mcp-session-id': session.id, 'content-type': 'application/json' };
    const body = JSON.stringify({ jsonrpc: '2.0', id: 1, method: 'tools/call', params: { name: 'memory/usage' } });
    let calls = 0;
    it.deeds.usage = () => (calls += 1);
    for (const [method, path] of [
      ['GET', '/sse'],
      ['POST', sse.endpoint],
      ['POST', '/mcp'],
      ['GET', '/mcp'],
      ['DELETE', '/mcp'],
    ] as const) {
      const asked = { method, path, headers: { ...evil, ...own }, ...(method === 'POST' ? { body } : {}) };
      assert.equal((await http(it.target, asked)).status, 403, `${method} ${path}`);
    }
    const upgrade = { connection: 'Upgrade', upgrade: 'websocket', 'sec-websocket-version': '13' };
    const key = { 'sec-websocket-key': 'dGhlIHNhbXBsZSBub25jZQ==' };
    assert.equal((await http(it.target, { path: '/ws', headers: { ...evil, ...upgrade, ...key } })).status, 403);
    assert.equal((await session.ask(2, 'ping')).status, 200);
    assert.deepEqual([calls, sse.events.length], [0, 0]);
  });

  test('wire 014, 018: loopback and configured origins are served and told so', async () => {
    for (const origin of ['http://localhost:6274', 'https://app.example']) {
      const client = await it.sse('alice', { headers: { origin } });
      assert.equal(client.status, 200);
      assert.equal(client.headers['access-control-allow-origin'], origin);
      const preflight = await http(it.target, { method: 'OPTIONS', path: '/message', headers: { origin } });
      assert.equal(preflight.status, 204);
      assert.equal(preflight.headers['access-control-allow-methods'], 'POST');
      assert.match(preflight.headers['access-control-allow-headers'] ?? '', /Authorization, Content-Type/);
    }
    assert.equal((await http(it.target, { method: 'OPTIONS', path: '/sse' })).status, 204);
  });
});

test('the log shows who asked for what, and never a token or a session', async () => {
  const client = await it.sse();
  await client.ask(1, 'ping');
  const line = it.log.find((one) => one.includes('uri=/message') && one.includes('status=202'));
  assert.match(
    line ?? '',
    /client=127\.0\.0\.1 user=alice method=POST uri=\/message status=202 duration_ms=\d+ request=[0-9a-f]{16}/,
  );
  const text = it.log.join('');
  assert.ok(!text.includes(client.endpoint.split('=')[1] ?? '?'));
  assert.ok(!/Bearer/.test(text));
});
