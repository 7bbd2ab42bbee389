/** Opening a stream, authentication and routing, over the whole frontend. */
import assert from 'node:assert/strict';
import { after, before, describe, test } from 'node:test';
import { http } from '../testing/client.ts';
import { startHarness, type Harness } from '../testing/harness.ts';

let it: Harness;
before(async () => {
  it = await startHarness({ server: '  allowed_origins: ["https://app.example"]\n' });
});

after(() => it.stop());

const bearer = (token: string): { authorization: string } => ({ authorization: `Bearer ${token}` });

describe('opening a stream', () => {
  test('the first bytes are the endpoint event, under the right headers', async () => {
    const client = await it.sse();
    assert.match(client.raw, /^event: endpoint\ndata: \/message\?session_id=[A-Za-z0-9_-]{32}\n\n/);
    assert.equal(client.status, 200);
    assert.equal(client.headers['content-type'], 'text/event-stream');
    assert.equal(client.headers['cache-control'], 'no-cache, no-transform');
    assert.equal(client.headers['x-accel-buffering'], 'no');
    assert.equal(client.headers['steward-user'], 'alice');
    assert.equal(client.headers['content-length'], undefined);
    assert.equal(client.headers['content-encoding'], undefined);
  });

  test('each stream is a session of its own; a query, Accept and Last-Event-ID change nothing', async () => {
    const first = await it.sse();
    const second = await it.sse('alice', { path: '/sse?x=1', headers: { accept: 'application/json', 'last-event-id': '7' } });
    assert.notEqual(first.endpoint, second.endpoint);
    const answer = await second.ask(1, 'ping');
    assert.deepEqual(answer, { jsonrpc: '2.0', id: 1, result: {} });
    assert.equal(first.events.length, 0);
  });

  test('no token, a malformed one, a wrong one: 401 with a challenge and no stream', async () => {
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
  });
});

describe('posting', () => {
  test('needs its own token, and the session of its own user', async () => {
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

  test('without a session: 400; after the stream is closed: 404', async () => {
    const headers = { ...bearer('alice'), 'content-type': 'application/json' };
    assert.equal((await http(it.target, { method: 'POST', path: '/message', headers, body: '{}' })).status, 400);
    const client = await it.sse();
    client.close();
    await client.closed;
    await new Promise((done) => setTimeout(done, 50));
    assert.equal((await client.post({ jsonrpc: '2.0', id: 1, method: 'ping' })).status, 404);
  });
});

describe('paths and methods', () => {
  test('other methods of known paths: 405 with what is allowed', async () => {
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

  test('everything else is 404 in JSON that names static tokens, with or without a token', async () => {
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

describe('origins', () => {
  test('a foreign origin is refused before anything else', async () => {
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

  test('loopback and configured origins are served and told so', async () => {
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
