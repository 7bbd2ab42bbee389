/** The endpoint `/mcp` as clients without sessions use it, over the whole frontend. */
import assert from 'node:assert/strict';
import { after, before, describe, test } from 'node:test';
import { startHarness, type Harness } from '../../testing/harness.ts';
import { noticesOf, openMcp, openStream, postMcp, type McpAnswer } from '../../testing/mcp-client.ts';
import { askModern, ENVELOPE, MODERN, modernBody, modernHeaders } from '../../testing/modern.ts';

let it: Harness;
before(async () => {
  it = await startHarness({ rest: 'limits: {max_sessions_per_user: 100, requests_per_second: 100000, burst: 100000}\n' });
});
after(() => it.stop());

const VERSION_KEY = 'io.modelcontextprotocol/protocolVersion';
const refusal = ({ status, messages }: McpAnswer): [number, number | undefined] => [status, messages[0]?.error?.code];
const without = (key: string): Record<string, unknown> =>
  Object.fromEntries(Object.entries(ENVELOPE).filter(([name]) => !name.endsWith(key)));
/** A request of tools/list with this `_meta`. */
const listWith = (_meta: unknown, headers = modernHeaders('tools/list')): Promise<McpAnswer> =>
  postMcp(it.target, { jsonrpc: '2.0', id: 1, method: 'tools/list', params: { _meta } }, headers);

describe('results', () => {
  test('wire 117: server/discover says what initialize says, and which revisions there are', async () => {
    const { messages, headers } = await askModern(it.target, 'server/discover');
    const result = messages[0]?.result;
    assert.deepEqual(result?.['supportedVersions'], [MODERN, '2025-11-25', '2025-06-18', '2025-03-26']);
    assert.deepEqual(result['capabilities'], { completions: {}, resources: {}, tools: { listChanged: true } });
    assert.deepEqual([result['resultType'], result['cacheScope']], ['complete', 'public']);
    assert.equal(typeof result['ttlMs'], 'number');
    assert.equal((result._meta?.['io.modelcontextprotocol/serverInfo'] as { name: string }).name, 'steward');
    assert.equal(headers['mcp-session-id'], undefined);
  });

  test('wire 123: every one is complete, lists and reads say how long they may be kept', async () => {
    it.deeds.usage = () => 'used';
    const asked = {
      'tools/list': {},
      'resources/list': {},
      'resources/templates/list': {},
      'resources/read': { uri: 'test://resource' },
      'tools/call': { name: 'memory/usage' },
    };
    for (const [method, params] of Object.entries(asked)) {
      const { status, messages } = await askModern(it.target, method, params);
      const result = messages[0]?.result;
      assert.deepEqual([status, result?.['resultType']], [200, 'complete'], method);
      assert.equal('ttlMs' in result!, method !== 'tools/call', method);
      assert.ok(result?._meta?.['io.modelcontextprotocol/serverInfo'], method);
    }
    const failed = (await askModern(it.target, 'tools/call', { name: 'files/list' })).messages[0]?.result;
    assert.deepEqual([failed?.isError, failed?.['resultType']], [true, 'complete']);
    assert.equal(typeof failed?._meta?.['steward/code'], 'string');
  });

  test('wire 093: unknown resource: -32602 with the uri; unknown tool: -32602', async () => {
    const { status, messages } = await askModern(it.target, 'resources/read', { uri: 'no://such' });
    assert.deepEqual([status, messages[0]?.error?.code], [200, -32602]);
    assert.equal((messages[0]?.error?.data as { uri: string }).uri, 'no://such');
    assert.equal((await askModern(it.target, 'tools/call', { name: 'no/such' })).messages[0]?.error?.code, -32602);
  });
});

describe('the envelope', () => {
  test('wire 118: what is missing: -32602 with status 400; the name of the client may be', async () => {
    for (const meta of [undefined, without('protocolVersion'), without('clientCapabilities')]) {
      assert.deepEqual(refusal(await listWith(meta)), [400, -32602]);
    }
    assert.equal((await listWith(without('clientInfo'))).status, 200);
    assert.deepEqual(refusal(await listWith({ ...ENVELOPE, [VERSION_KEY]: 5 })), [400, -32602]);
  });

  test('wire 119: an unknown revision: -32022 with those that are spoken', async () => {
    const headers = { ...modernHeaders('tools/list'), 'mcp-protocol-version': 'v999' };
    const answer = await listWith({ ...ENVELOPE, [VERSION_KEY]: 'v999' }, headers);
    assert.deepEqual(refusal(answer), [400, -32022]);
    const contrary = await listWith({ ...ENVELOPE, [VERSION_KEY]: 'v999' });
    assert.deepEqual(refusal(contrary), [400, -32020]);
    const data = answer.messages[0]?.error?.data as { supported: string[]; requested: string };
    assert.equal(data.requested, 'v999');
    assert.ok(data.supported.includes(MODERN));
  });

  test('wire 119, 120: headers must be there and say what the body says', async () => {
    const bad = [
      { 'mcp-protocol-version': '2025-11-25' },
      { 'mcp-protocol-version': undefined },
      { 'mcp-method': undefined },
      { 'mcp-method': 'tools/call' },
      { 'mcp-method': 'TOOLS/LIST' },
    ];
    for (const headers of bad) {
      assert.deepEqual(refusal(await askModern(it.target, 'tools/list', {}, headers)), [400, -32020], JSON.stringify(headers));
    }
    const { 'mcp-method': method, ...rest } = modernHeaders('tools/list');
    assert.equal((await listWith(ENVELOPE, { ...rest, 'MCP-METHOD': method })).status, 200);
  });

  test('wire 121: the name: plain, with blanks around, in base64; not another, not missing, not broken', async () => {
    const encoded = (text: string): string => `=?base64?${Buffer.from(text).toString('base64')}?=`;
    const call = (name: string | undefined, uri = 'test://resource'): Promise<McpAnswer> =>
      askModern(it.target, 'resources/read', { uri }, { 'mcp-name': name });
    for (const name of ['test://resource', '  test://resource  ', encoded('test://resource')]) {
      assert.equal((await call(name)).status, 200, name);
    }
    for (const name of [undefined, 'test://other', '=?base64?%%%?=', '=?base64?/w==?=', encoded('x')]) {
      assert.deepEqual(refusal(await call(name)), [400, -32020], name);
    }
    assert.deepEqual(refusal(await call(encoded('no://ü'), 'no://ü')), [200, -32602]);
  });

  test('wire 122: unknown methods and those of sessions: 404 with the id', async () => {
    for (const method of ['no/such', 'initialize', 'ping', 'logging/setLevel', 'resources/subscribe', '__proto__']) {
      const answer = await askModern(it.target, method, { protocolVersion: '2025-11-25' });
      assert.deepEqual([...refusal(answer), answer.messages[0]?.id], [404, -32601, 1], method);
    }
  });

  test('a batch with one of them is refused', async () => {
    assert.deepEqual(refusal(await postMcp(it.target, [modernBody('tools/list')])), [400, -32600]);
  });
});

test('wire 127, 128: both eras at once on one endpoint; a session header is ignored', async () => {
  const session = await openMcp(it.target);
  const [old, modern] = await Promise.all([
    session.ask(1, 'ping'),
    askModern(it.target, 'tools/list', {}, { 'mcp-session-id': session.id, 'last-event-id': '4' }),
  ]);
  assert.deepEqual(old.messages[0]?.result, {});
  assert.equal(modern.messages[0]?.result?.['resultType'], 'complete');
  assert.equal(modern.headers['mcp-session-id'], undefined);
});

test('wire 125: who hangs up has cancelled', async () => {
  const stopped = Promise.withResolvers<unknown>();
  it.deeds.usage = (signal) =>
    new Promise((_done, fail) =>
      signal.addEventListener('abort', () => {
        stopped.resolve(signal.reason);
        fail(signal.reason as Error);
      }),
    );
  const body = modernBody('tools/call', { name: 'memory/usage', _meta: { progressToken: 1 } });
  const stream = await openStream(it.target, 'POST', modernHeaders('tools/call', { name: 'memory/usage' }), body);
  stream.destroy();
  assert.equal(((await stopped.promise) as { key: string }).key, 'cancelled');
});

test('calls of one user wait for each other although they have no session', async () => {
  let running = 0;
  let most = 0;
  it.deeds.usage = async () => {
    running += 1;
    most = Math.max(most, running);
    await new Promise((done) => setTimeout(done, 20));
    running -= 1;
    return 'used';
  };
  const calls = Array.from({ length: 40 }, () => askModern(it.target, 'tools/call', { name: 'memory/usage' }));
  for (const { messages } of await Promise.all(calls)) assert.equal(messages[0]?.result?.isError, undefined);
  assert.ok(most > 1 && most < 40, String(most));
});

describe('subscriptions', () => {
  const listen = (notifications: unknown, id: string | number) =>
    openStream(
      it.target,
      'POST',
      modernHeaders('subscriptions/listen'),
      modernBody('subscriptions/listen', { notifications }, id),
    );
  const idIn = (params: Readonly<Record<string, unknown>> | undefined): unknown =>
    (params?.['_meta'] as Record<string, unknown> | undefined)?.['io.modelcontextprotocol/subscriptionId'];

  test('wire 084, 126: acknowledge first, then what was asked for, marked with the request', async () => {
    const stream = await listen({ toolsListChanged: true, promptsListChanged: true }, 'mine');
    const other = await listen({ promptsListChanged: true }, 5);
    const [notices, others] = [noticesOf(stream), noticesOf(other)];
    const first = (await notices.next()).value;
    assert.equal(first?.method, 'notifications/subscriptions/acknowledged');
    assert.deepEqual(first.params?.['notifications'], { toolsListChanged: true });
    assert.equal(idIn(first.params), 'mine');
    const nothing = (await others.next()).value;
    assert.deepEqual([nothing?.params?.['notifications'], idIn(nothing?.params)], [{}, 5]);
    await it.broker.reload(it.broker.options.config ?? '');
    const changed = (await notices.next()).value;
    assert.deepEqual([changed?.method, idIn(changed?.params)], ['notifications/tools/list_changed', 'mine']);
    stream.destroy();
    other.destroy();
  });

  test('wire 126: end with a result when the process does', async () => {
    const own = await startHarness();
    const body = modernBody('subscriptions/listen', { notifications: { toolsListChanged: true } }, 9);
    const stream = await openStream(own.target, 'POST', modernHeaders('subscriptions/listen'), body);
    const notices = noticesOf(stream);
    await notices.next();
    const stopping = own.frontend.stop(100);
    const last = (await notices.next()).value;
    assert.deepEqual([last?.id, last?.result?.['resultType']], [9, 'complete']);
    assert.equal((await notices.next()).done, true);
    await stopping;
    await own.broker.stop();
  });

  test('without a filter: -32602', async () => {
    assert.deepEqual(refusal(await askModern(it.target, 'subscriptions/listen')), [400, -32602]);
  });
});
