/** tools/call over the whole frontend: arguments, sides, failures, limits. */
import assert from 'node:assert/strict';
import { createHash } from 'node:crypto';
import { after, before, describe, test } from 'node:test';
import { StewardError } from '@steward/shared/errors.ts';
import { configText, startHarness, type Harness } from '../testing/harness.ts';
import type { RpcAnswer, SseClient } from '../testing/client.ts';
import type { FakeCall } from '../testing/fake-broker.ts';

const GRANTS = { tools: { 'files/list': { allowed: true, line: 3 } }, resources: {} };
const FAST = 'requests_per_second: 100000, burst: 100000';

let it: Harness;
let client: SseClient;
let ops: Record<string, (call: FakeCall) => unknown>;
before(async () => {
  ops = {};
  const tokens = { alice: { user: 'alice' }, bob: { user: 'bob', grants: GRANTS } };
  it = await startHarness({ tokens, ops, rest: `limits: {${FAST}}\ntools: {files/create: {timeout_seconds: 1}}\n` });
  client = await it.sse();
});
after(() => it.stop());

let ids = 0;
const call = (name: string, args?: unknown, as = client): Promise<RpcAnswer> => as.call((ids += 1), name, args);
const textOf = ({ result }: RpcAnswer): string => result?.content?.[0]?.text ?? '';

/** Text of a failure; asserts that it is one, with its code. */
function failure(answer: RpcAnswer, code: string): string {
  assert.equal(answer.result?.isError, true, JSON.stringify(answer));
  assert.equal(answer.result._meta?.['steward/code'], code);
  assert.match(String(answer.result._meta['steward/request']), /^[0-9a-f]{16}$/);
  return textOf(answer);
}

describe('which tool', () => {
  test('wire 087: unknown, missing or no text: -32602', async () => {
    const unknown = await call('no/tool');
    assert.deepEqual([unknown.error?.code, unknown.error?.message], [-32602, 'unknown tool: no/tool']);
    assert.equal((unknown.error?.data as Record<string, unknown>)['steward/code'], 'UNKNOWN_TOOL');
    assert.equal((await client.ask('n1', 'tools/call')).error?.message, 'Invalid params');
    assert.equal((await client.ask('n2', 'tools/call', { name: 5 })).error?.code, -32602);
    assert.equal((await call('constructor')).error?.code, -32602);
  });

  test('wire 092: spellings without a slash mean the same tool', async () => {
    it.deeds.usage = () => 'yes';
    for (const name of ['memory/usage', 'memory_usage', 'memory.usage']) assert.equal(textOf(await call(name)), 'yes');
  });
});

describe('arguments', () => {
  test('wire 088: absent and null are none; what is no object is refused', async () => {
    it.deeds.usage = () => 'ok';
    for (const args of [undefined, null, {}]) assert.equal(textOf(await call('memory/usage', args)), 'ok');
    for (const args of [[], 'x', 5, true]) {
      const { error } = await call('memory/usage', args);
      assert.deepEqual([error?.code, error?.message], [-32602, 'arguments must be an object']);
    }
  });

  test('wire 089: the first violation is named', async () => {
    const cases: [Record<string, unknown>, string][] = [
      [{}, 'path argument is required'],
      [{ path: null }, 'path argument is required'],
      [{ path: '' }, 'path argument is required'],
      [{ path: 5 }, 'path must be a string'],
      [{ path: '/', count: 'x' }, 'count must be an integer'],
      [{ path: '/', count: 1.5 }, 'count must be an integer'],
      [{ path: '/', count: 1e300 }, 'count must be an integer'],
      [{ path: '/', count: -1 }, 'count must be at least 1'],
      [{ path: '/', sort: 'age' }, 'invalid sort "age" (name, size)'],
      [{ path: '/', privileged: 'true' }, 'privileged must be a boolean'],
      [{ path: '/', output_format: 'xml' }, 'invalid output_format "xml" (text, json, yaml, table, wide)'],
      [{ path: '/', _secret: 1 }, 'unknown argument "_secret": names starting with _ are reserved'],
    ];
    for (const [args, text] of cases) assert.equal(failure(await call('files/list', args), 'BAD_ARGS'), text);
  });

  test('5.0 is an integer, 0 where it means none and empty texts are not given, null is nothing', async () => {
    const seen: unknown[] = [];
    it.deeds.list = (args) => (seen.push(args), []);
    await client.post(
      '{"jsonrpc":"2.0","id":"f","method":"tools/call","params":{"name":"files/list","arguments":{"path":"/","count":5.0}}}',
    );
    await client.answerTo('f');
    await call('files/list', { path: '/', count: 0, sort: '', output_format: null });
    assert.deepEqual(seen, [{ path: '/', count: 5 }, { path: '/' }]);
  });

  test('wire 089: unknown arguments are ignored by tools that read and refused by the others, with the nearest name', async () => {
    it.deeds.list = () => [];
    assert.equal((await call('files/list', { path: '/', colour: 1 })).result?.isError, undefined);
    const text = failure(await call('files/create', { path: '/x', drry_run: true }), 'BAD_ARGS');
    assert.equal(text, 'unknown argument "drry_run" (did you mean dry_run?)');
    assert.match(failure(await call('daemon/reload-config', { a: 1 }), 'BAD_ARGS'), /^unknown argument "a"/);
  });
});

describe('results', () => {
  test('text, JSON of records, JSON of a value', async () => {
    it.deeds.list = () => [{ a: 1 }, { a: [2] }];
    it.deeds.usage = () => ({ b: 1 });
    assert.deepEqual((await call('files/list', { path: '/' })).result, {
      content: [{ type: 'text', text: '[object Object][object Object]' }],
    });
    const json = JSON.stringify([{ a: 1 }, { a: [2] }], null, 2);
    for (const output_format of ['json', 'yaml', 'table', 'wide']) {
      assert.equal(textOf(await call('files/list', { path: '/', output_format })), json);
    }
    assert.equal(textOf(await call('memory/usage', { output_format: 'json' })), '{\n  "b": 1\n}');
    it.deeds.list = () => [];
    assert.equal(textOf(await call('files/list', { path: '/', output_format: 'json' })), '[]');
  });

  test('an upload reaches the operation, here and in the broker; meta is passed on', async () => {
    const content = 'é\n'.repeat(300_000);
    const sha256 = createHash('sha256').update(content).digest('hex');
    const local = await call('files/create', { path: '/x', content });
    assert.deepEqual(JSON.parse(textOf(local)), { size: 900_000, sha256 });
    assert.deepEqual(local.result?._meta, { 'steward/sha256': 'x' });
    ops['files/create'] = ({ upload, args }) => ({ size: upload?.length, args });
    const root = await call('files/create', { path: '/x', content, privileged: true });
    assert.deepEqual(JSON.parse(textOf(root)), { size: 900_000, args: { path: '/x' } });
    const touched = await call('files/create', { path: '/x', content: '', dry_run: true, privileged: true });
    assert.deepEqual(JSON.parse(textOf(touched)), { size: 0, args: { path: '/x', dry_run: true } });
  });

  test('a large answer from the broker comes whole', async () => {
    const line = `${JSON.stringify('x'.repeat(1000))}\n`;
    ops['files/list'] = async ({ write }) => {
      for (let i = 0; i < 3000; i += 1) await write(Buffer.from(line));
      return {};
    };
    assert.equal(textOf(await call('files/list', { path: '/', privileged: true })), 'x'.repeat(3_000_000));
  });
});

describe('failures', () => {
  test('wire 090: of the operation: its text and code; the caller who could be root is told so', async () => {
    it.deeds.list = () =>
      Promise.reject(new StewardError('open_file', { path: '/s', reason: 'permission denied', errno: 'EACCES' }));
    const text = 'failed to open file: /s: permission denied';
    assert.equal(failure(await call('files/list', { path: '/s' }), 'SYSTEM'), text);
    const bob = await it.sse('bob');
    const hint = ' (files/list is granted to you as root in grants.yaml: retry with privileged: true)';
    assert.equal(failure(await call('files/list', { path: '/s' }, bob), 'SYSTEM'), text + hint);
  });

  test('wire 091: a defect is told by its request alone', async () => {
    it.deeds.usage = () => Promise.reject(new Error('secret'));
    const answer = await call('memory/usage');
    const text = failure(answer, 'INTERNAL');
    assert.equal(text, `internal error (request ${String(answer.result?._meta?.['steward/request'])})`);
  });

  test('refusals of the broker', async () => {
    ops['files/list'] = ({ user }) => {
      throw new StewardError('not_granted', { user, tool: 'files/list' });
    };
    assert.match(
      failure(await call('files/list', { path: '/', privileged: true }), 'NOT_GRANTED'),
      /^Permission denied: user alice /,
    );
  });

  test('wire 103: the time limit of the tool stops the work, here and in the broker', async () => {
    let stopped = 0;
    ops['files/create'] = ({ signal }) =>
      new Promise((_done, fail) => {
        signal.addEventListener('abort', () => {
          stopped += 1;
          fail(signal.reason as Error);
        });
      });
    const answer = await call('files/create', { path: '/x', privileged: true });
    assert.equal(failure(answer, 'TIMEOUT'), 'timed out after 1 seconds - the call was stopped');
    assert.equal(stopped, 1);
  });
});

describe('limits', () => {
  test('wire 101: a cancelled call stops and is not answered; others go on', async () => {
    let stopped = false;
    it.deeds.usage = (signal) =>
      new Promise((_done, fail) => {
        signal.addEventListener('abort', () => {
          stopped = true;
          fail(signal.reason as Error);
        });
      });
    await client.post({ jsonrpc: '2.0', id: 'c', method: 'tools/call', params: { name: 'memory/usage' } });
    const other = await it.sse();
    await other.post({ jsonrpc: '2.0', method: 'notifications/cancelled', params: { requestId: 'c' } });
    await other.ask(1, 'ping');
    assert.equal(stopped, false);
    await client.post({ jsonrpc: '2.0', method: 'notifications/cancelled', params: { requestId: 'c', reason: 'x' } });
    await client.ask('after', 'ping');
    assert.equal(stopped, true);
    assert.equal(
      client.events.flat().some(({ id }) => id === 'c'),
      false,
    );
  });

  test('calls of one stream run side by side up to the limit; answers keep their ids', async () => {
    await it.broker.reload(configText({ rest: `limits: {${FAST}, max_calls_per_session: 4}\n` }));
    const own = await it.sse();
    let running = 0;
    let most = 0;
    it.deeds.usage = async () => {
      most = Math.max(most, (running += 1));
      await new Promise((done) => setTimeout(done, 5 * (running % 3)));
      running -= 1;
      return 'u';
    };
    const answers = await Promise.all(Array.from({ length: 40 }, (_, id) => own.call(id, 'memory/usage')));
    assert.equal(most, 4);
    assert.deepEqual(
      answers.map(({ id }) => id),
      Array.from({ length: 40 }, (_, id) => id),
    );
    assert.equal(own.events.length, 40);
  });

  test('wire 081a: over the rate: 202 and a failure that says how much is allowed', async () => {
    await it.broker.reload(configText({ rest: 'limits: {requests_per_second: 0.1, burst: 1}\n' }));
    it.deeds.usage = () => 'u';
    const text = 'too many requests: user alice may make 0.1 per second - try again shortly';
    await call('memory/usage');
    assert.equal(failure(await call('memory/usage'), 'BUSY'), text);
    const { error } = await client.ask('rate', 'ping');
    assert.deepEqual([error?.code, error?.message], [-32603, text]);
  });

  test('a read-only daemon: reads and dry runs stay, changes do not', async () => {
    await it.broker.reload(configText({ rest: `limits: {${FAST}}\ncatalogue: {read_only: true}\n` }));
    const other = await it.sse('bob');
    it.deeds.usage = () => 'u';
    assert.equal(textOf(await call('memory/usage', {}, other)), 'u');
    assert.equal((await call('files/create', { path: '/x', dry_run: true }, other)).result?.isError, undefined);
    const text = 'files/create is not available: this daemon is read-only (catalogue.read_only in daemon.yaml)';
    assert.equal(failure(await call('files/create', { path: '/x' }, other), 'READ_ONLY'), text);
    ops['daemon/reload-config'] = () => ({ done: true });
    assert.equal(textOf(await call('daemon/reload-config', {}, other)), '{"done":true}');
  });
});
