/** Calls under way in sessions of the endpoint `/mcp`: hanging up, cancelling, ending, completing; over the whole frontend. */
import assert from 'node:assert/strict';
import { after, before, describe, test } from 'node:test';
import { heldWork, startHarness, type Harness } from '../../testing/harness.ts';
import { openMcp, type Notice } from '../../testing/mcp-client.ts';

let it: Harness;
before(async () => {
  const limits = 'limits: {max_sessions_per_user: 200, max_sessions: 400, requests_per_second: 100000, burst: 100000}\n';
  it = await startHarness({ rest: limits });
});
after(() => it.stop());

const call = (id: string | number, extra: object = {}): object => ({
  jsonrpc: '2.0',
  id,
  method: 'tools/call',
  params: { name: 'memory/usage', ...extra },
});

describe('calls under way', () => {
  test('wire 114: a client that hangs up has not cancelled', async () => {
    const session = await openMcp(it.target);
    const [began, finished] = [Promise.withResolvers<undefined>(), Promise.withResolvers<boolean>()];
    it.deeds.usage = async (signal) => {
      began.resolve(undefined);
      await new Promise((done) => setTimeout(done, 150));
      finished.resolve(!signal.aborted);
      return '';
    };
    const hangUp = new AbortController();
    const headers = { authorization: 'Bearer alice', 'content-type': 'application/json', 'mcp-session-id': session.id };
    const options = { method: 'POST', headers, body: JSON.stringify(call(1)), signal: hangUp.signal };
    const asked = fetch(`http://127.0.0.1:${it.target.port}/mcp`, options);
    await began.promise;
    hangUp.abort();
    await assert.rejects(asked);
    assert.equal(await finished.promise, true);
  });

  test('wire 100, 113: progress: only with a token, of its type, growing, never after the answer', async () => {
    const session = await openMcp(it.target);
    it.broker.options.ops = {
      'files/list': async ({ progress }) => {
        for (const done of [1, 2, 2, 1, 3]) {
          progress(done, `${done} entries`);
          await new Promise((next) => setTimeout(next, 120));
        }
        setTimeout(() => progress(99), 20);
        return {};
      },
    };
    const ask = (progressToken: unknown, accept = 'application/json, text/event-stream') =>
      session.ask(
        1,
        'tools/call',
        { name: 'files/list', arguments: { path: '/', privileged: true }, _meta: { progressToken } },
        { accept },
      );
    for (const token of ['t', 0]) {
      const { messages, headers } = await ask(token);
      assert.match(headers['content-type'] ?? '', /^text\/event-stream/);
      assert.deepEqual(
        messages.slice(0, -1).map(({ method, params }) => [method, params]),
        [1, 2, 3].map((progress) => [
          'notifications/progress',
          { progressToken: token, progress, message: `${progress} entries` },
        ]),
      );
      assert.equal(messages.at(-1)?.id, 1);
    }
    for (const none of [undefined, null, 1.5, {}]) {
      const { messages } = await ask(none, 'text/event-stream');
      assert.equal(messages.length, 1, JSON.stringify(none));
    }
    assert.equal((await ask('t', 'application/json')).messages.length, 1);
    const sse = await it.sse();
    const params = { name: 'files/list', arguments: { path: '/', privileged: true }, _meta: { progressToken: 5 } };
    await sse.ask(1, 'tools/call', params);
    assert.equal(sse.events.length, 1);
    sse.close();
  });

  test('wire 101: a cancellation stops the work and has no answer', async () => {
    const session = await openMcp(it.target);
    const held = heldWork();
    it.deeds.usage = held.work;
    const [streamed, plain] = [session.post(call('s')), session.post(call('p'), { accept: 'application/json' })];
    await held.begun(2);
    for (const requestId of ['s', 'p', 'unknown', {}]) {
      await session.post({ jsonrpc: '2.0', method: 'notifications/cancelled', params: { requestId } });
    }
    assert.deepEqual((await streamed).messages, []);
    assert.equal((await plain).status, 204);
    assert.equal(held.stopped(), 2);
  });
});

test('wire 099: completion: values that begin alike, at most a hundred of them', async () => {
  const session = await openMcp(it.target);
  it.deeds.choose = async ({ user, params }) => [
    user,
    ...Array.from({ length: 250 }, (_, n) => `n${n}`),
    ...Object.values(params),
  ];
  const uri = 'test:///{path}/{view}';
  const ask = async (value: unknown, more: object = {}): Promise<Notice | undefined> => {
    const params = { ref: { type: 'ref/resource', uri }, argument: { name: 'path', value }, ...more };
    return (await session.ask(1, 'completion/complete', params)).messages[0];
  };
  const hundred = (await ask('n'))?.result?.['completion'] as { values: string[]; total: number; hasMore: boolean };
  assert.deepEqual([hundred.values.length, hundred.total, hundred.hasMore], [100, 250, true]);
  assert.deepEqual((await ask('al'))?.result, { completion: { values: ['alice'], total: 1, hasMore: false } });
  const given = { context: { arguments: { view: 'wide' } } };
  assert.deepEqual((await ask('w', given))?.result, { completion: { values: ['wide'], total: 1, hasMore: false } });
  const other = await ask('', { argument: { name: 'view', value: '' } });
  assert.deepEqual(other?.result, { completion: { values: [], total: 0, hasMore: false } });
  for (const wrong of [
    { ref: { type: 'ref/prompt', name: 'x' } },
    { ref: { type: 'ref/resource', uri: 'no:///{path}' } },
    { ref: null },
    { argument: { name: 'other', value: '' } },
    { argument: { name: 'path', value: 5 } },
  ]) {
    assert.equal((await ask('', wrong))?.error?.code, -32602, JSON.stringify(wrong));
  }
  const sse = await it.sse();
  assert.equal((await sse.ask(1, 'completion/complete', {})).error?.code, -32601);
  sse.close();
});
