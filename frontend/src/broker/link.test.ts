/** The frontend and its broker's death, return, forgetfulness and reloads, over the real frames. */
import assert from 'node:assert/strict';
import { after, before, describe, test } from 'node:test';
import { NO_GRANTS } from '@steward/shared/config/types.ts';
import { StewardError } from '@steward/shared/errors.ts';
import { http } from '../testing/client.ts';
import type { FakeCall } from '../testing/fake-broker.ts';
import { configText, startHarness, type Harness } from '../testing/harness.ts';

const FAST = 'limits: {requests_per_second: 100000, burst: 100000}\n';
const pause = (ms: number): Promise<void> => new Promise((done) => setTimeout(done, ms));

let it: Harness;
let ops: Record<string, (call: FakeCall) => unknown>;
before(async () => {
  ops = { 'daemon/reload-config': ({ user }) => ({ user }) };
  it = await startHarness({ ops, rest: FAST });
});
after(() => it.stop());

const reload = 'daemon/reload-config';

describe('sessions with the broker', () => {
  test('a token is asked about once, not at every request', async () => {
    const client = await it.sse();
    const opens = it.broker.count('open');
    for (let id = 0; id < 5; id += 1) await client.call(id, reload);
    assert.equal(it.broker.count('open'), opens);
    const open = it.broker.received.find((message) => message.type === 'open');
    assert.deepEqual([open?.token, open?.address], ['alice', '127.0.0.1']);
  });

  // abuse 38: frontend
  test('a session that the broker forgot is opened again with the token of the request, once', async () => {
    const client = await it.sse();
    it.broker.forgetSessions();
    const opens = it.broker.count('open');
    assert.equal((await client.call(1, reload)).result?.content?.[0]?.text, '{"user":"alice"}');
    assert.equal(it.broker.count('open'), opens + 1);
    ops['files/list'] = () => {
      throw new StewardError('no_session');
    };
    const calls = it.broker.count('call');
    const answer = await client.call(2, 'files/list', { path: '/', privileged: true });
    assert.equal(answer.result?._meta?.['steward/code'], 'NO_SESSION');
    assert.equal(it.broker.count('call'), calls + 2);
  });

  test('an answer holds no longer than the broker said', async () => {
    Object.assign(it.broker.options.tokens ?? {}, { brief: { user: 'brief', validMs: 100 } });
    const client = await it.sse('brief');
    const opens = it.broker.count('open');
    await client.ask(1, 'ping');
    assert.equal(it.broker.count('open'), opens);
    await pause(120);
    await client.ask(2, 'ping');
    assert.equal(it.broker.count('open'), opens + 1);
    delete it.broker.options.tokens?.['brief'];
    await pause(120);
    assert.equal((await client.post({ jsonrpc: '2.0', id: 3, method: 'ping' })).status, 401);
  });
});

describe('calls', () => {
  // abuse 97: frontend
  test('no more at once than the broker runs for one user', async () => {
    const gate = Promise.withResolvers<undefined>();
    let running = 0;
    let most = 0;
    ops['files/list'] = async () => {
      most = Math.max(most, (running += 1));
      await gate.promise;
      running -= 1;
      return {};
    };
    const client = await it.sse();
    const calls = Array.from({ length: 30 }, (_, id) => client.call(id, 'files/list', { path: '/', privileged: true }));
    await client.until(() => (running === 8 ? true : undefined));
    await pause(100);
    assert.equal(most, 8);
    gate.resolve(undefined);
    await Promise.all(calls);
    assert.equal(most, 8);
  });

  test('an answer before the end of an upload ends the upload', async () => {
    const client = await it.sse();
    // The fake refuses before it reads anything.
    it.broker.forgetSessions();
    delete it.broker.options.tokens?.['alice'];
    const content = 'x'.repeat(2_000_000);
    const answer = client.call(1, 'files/create', { path: '/x', content, privileged: true });
    assert.equal((await answer).result?._meta?.['steward/code'], 'NO_SESSION');
    Object.assign(it.broker.options.tokens ?? {}, { alice: { user: 'alice' } });
    assert.equal((await client.call(2, reload)).result?.content?.[0]?.text, '{"user":"alice"}');
  });
});

describe('a broker that dies', () => {
  test('calls under way fail, the next one waits for its successor, unprivileged work goes on meanwhile', async () => {
    const client = await it.sse();
    it.deeds.usage = () => 'u';
    let begun = 0;
    ops['files/create'] = () => ((begun += 1), new Promise(() => undefined));
    const lost = client.call('lost', 'files/create', { path: '/', content: 'x', privileged: true });
    await client.until(() => (begun === 1 ? true : undefined));
    await it.broker.kill();
    assert.equal((await lost).result?._meta?.['steward/code'], 'BROKER_UNAVAILABLE');
    assert.equal((await client.call('u', 'memory/usage')).result?.content?.[0]?.text, 'u');
    const fresh = http(it.target, { path: '/sse', headers: { authorization: 'Bearer stranger' } });
    const next = client.call('next', reload);
    await pause(300);
    await it.broker.start();
    assert.equal((await next).result?.content?.[0]?.text, '{"user":"alice"}');
    assert.equal((await fresh).status, 401);
    assert.equal(begun, 1);
  });

  test('a call that only reads is made again, once, and so are those that waited for their turn', async () => {
    const client = await it.sse();
    let times = 0;
    ops['files/list'] = () => ((times += 1) > 8 ? {} : new Promise(() => undefined));
    const read = { path: '/', privileged: true };
    const calls = Array.from({ length: 12 }, (_, id) => client.call(id, 'files/list', read));
    await client.until(() => (times === 8 ? true : undefined));
    await it.broker.kill();
    await it.broker.start();
    for (const { result } of await Promise.all(calls)) assert.equal(result?.isError, undefined);
    assert.equal(times, 8 + 12);
  });

  test('a change is made again only when the broker cannot have seen it', async () => {
    const client = await it.sse();
    await client.call(1, reload);
    let times = 0;
    ops['files/create'] = () => ({ times: (times += 1) });
    it.broker.freeze();
    // More than the fake's socket reads ahead, so that some of it stays unread.
    const call = client.call(2, 'files/create', { path: '/', content: 'x'.repeat(250_000), privileged: true });
    await pause(100);
    await it.broker.kill();
    await it.broker.start();
    assert.equal((await call).result?.content?.[0]?.text, '{"times":1}');
  });

  test('and stays dead: an error after two seconds, 503 for those who are not known', async () => {
    const client = await it.sse();
    await it.broker.kill();
    const began = performance.now();
    const [call, stranger] = await Promise.all([
      client.call(1, reload),
      http(it.target, { path: '/sse', headers: { authorization: 'Bearer stranger' } }),
    ]);
    assert.ok(performance.now() - began < 4000);
    assert.equal(call.result?.content?.[0]?.text, 'the privileged broker is not available');
    assert.equal(stranger.status, 503);
    assert.match(stranger.headers['retry-after'] ?? '', /^\d+$/);
    await it.broker.start();
    await client.until(() => (it.log.at(-1)?.includes('broker connected') === true ? true : undefined));
  });

  // abuse 34: frontend
  test('again and again is connected to no oftener than once a second, which the socket of the unit permits', async () => {
    const own = await startHarness({ rest: FAST });
    const connected = (): number => own.log.filter((line) => line.includes('broker connected')).length;
    const client = await own.sse();
    const deaths = 4;
    const began = performance.now();
    for (let death = 1; death <= deaths; death += 1) {
      const before = connected();
      await own.broker.kill();
      await own.broker.start();
      await client.until(() => (connected() > before ? true : undefined));
    }
    const took = performance.now() - began;
    assert.ok(took > (deaths - 1) * 900, `${deaths} deaths were over after ${took.toFixed(0)} ms`);
    await own.stop();
  });

  test('what changed in the configuration meanwhile takes effect', async () => {
    const client = await it.sse();
    await it.broker.kill();
    it.broker.options.config = configText({ rest: 'limits: {max_sessions_per_user: 1}\ncatalogue: {names: underscore}\n' });
    await it.broker.start();
    await client.call(1, reload);
    const tools = (await client.ask(2, 'tools/list')).result?.['tools'] as { name: string }[];
    assert.equal(tools[0]?.name, 'files_list');
    assert.equal((await http(it.target, { path: '/sse', headers: { authorization: 'Bearer alice' } })).status, 429);
  });
});

describe('reloads', () => {
  test('a proposal that does not parse is rejected with its place and changes nothing', async () => {
    const own = await startHarness({ rest: FAST });
    const reason = await own.broker.reload('version: 1\nlimits: {burst: none}\n');
    assert.match(reason ?? '', /^\/etc\/steward\/daemon\.yaml:2: /);
    await own.stop();
  });

  test('limits, level and access log follow; what needs a restart stays; tokens that are over end their streams', async () => {
    const tokens = {
      alice: { user: 'alice', token: 'laptop' },
      other: { user: 'alice', token: 'ci' },
      bob: { user: 'bob', token: 'laptop', grants: NO_GRANTS },
    };
    const own = await startHarness({ rest: FAST, tokens });
    const [alice, ci, bob] = [await own.sse('alice'), await own.sse('other'), await own.sse('bob')];
    own.broker.options.tokens = {
      other: tokens.other,
      bob: { ...tokens.bob, grants: { tools: { 'files/list': { allowed: true, line: 1 } }, resources: {} } },
    };
    const text = configText({ server: '  sse_keepalive_seconds: 7\n', rest: 'logging: {access_log: false, format: json}\n' });
    assert.equal(await own.broker.reload(text, [{ user: 'alice', token: 'laptop' }]), undefined);
    await alice.closed;
    assert.equal((await alice.post({ jsonrpc: '2.0', id: 1, method: 'ping' })).status, 401);
    assert.deepEqual((await ci.ask(1, 'ping')).result, {});
    const tools = (await bob.ask(1, 'tools/list')).result?.['tools'] as { description: string }[];
    assert.match(tools[0]?.description ?? '', /Root is granted to you\.$/);
    const report = own.log.findIndex((line) => line.includes('configuration reloaded'));
    assert.match(own.log[report] ?? '', /Reloaded \/etc\/steward\/daemon\.yaml\./);
    assert.ok(!own.log.slice(report).some((line) => line.includes(' request ')));
    await own.stop();
  });

  test('a hangup asks the broker', async () => {
    const before = it.broker.count('reload');
    it.frontend.reload();
    await pause(50);
    assert.equal(it.broker.count('reload'), before + 1);
  });

  test('a hangup while there is no broker reaches the next one', async () => {
    const own = await startHarness({ rest: FAST });
    const client = await own.sse();
    await own.broker.kill();
    await client.until(() => own.log.find((line) => line.includes('broker not available')));
    own.frontend.reload();
    await own.broker.start();
    await client.until(() => (own.broker.count('reload') > 0 ? true : undefined));
    assert.equal(own.broker.count('reload'), 1);
    await own.stop();
  });
});
