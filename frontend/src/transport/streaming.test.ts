/** The stream itself: keep-alive, large and many answers, slow readers, limits of sessions, ends. */
import assert from 'node:assert/strict';
import { after, before, describe, test } from 'node:test';
import { http, type SseClient } from '../testing/client.ts';
import { heldWork, startHarness, type Harness } from '../testing/harness.ts';

const LIMITS = 'limits: {max_sessions: 5, max_sessions_per_user: 3, requests_per_second: 100000, burst: 100000}\n';

let it: Harness;
before(async () => {
  it = await startHarness({ rest: LIMITS, server: '  sse_keepalive_seconds: 1\n' });
});
after(() => it.stop());

const pause = (ms: number): Promise<void> => new Promise((done) => setTimeout(done, ms));

test('wire 071: an answer is one line of data whatever is in it', async () => {
  const client = await it.sse();
  const text = 'a\nb\r\n\n\ndata: x\nevent: y\n\n\u2028';
  it.deeds.usage = () => text;
  const answer = await client.call(1, 'memory/usage');
  assert.equal(answer.result?.content?.[0]?.text, text);
  assert.match(client.raw, /\n\nevent: message\ndata: \{[^\n]*\}\n\n$/);
  client.close();
});

test('wire 074: comments keep an idle stream alive', async () => {
  const client = await it.sse();
  await client.until(() => (client.raw.endsWith('\n\n: ping\n\n') ? true : undefined));
  assert.deepEqual((await client.ask(1, 'ping')).result, {});
  client.close();
});

test('wire 078: large answers are complete and unmixed, and small ones come too', async () => {
  const client = await it.sse();
  const line = 'y'.repeat(10_000);
  it.deeds.list = ({ count }) => Array<string>(Number(count)).fill(line);
  const sizes = [1050, 1, 105, 2, 210]; // the first two large ones: 10 MiB and 1 MiB
  const answers = await Promise.all(sizes.map((count, id) => client.call(id, 'files/list', { path: '/', count })));
  answers.forEach((answer, index) => {
    assert.equal(answer.result?.content?.[0]?.text.length, (sizes[index] ?? 0) * line.length);
  });
  client.close();
});

test('wire 075: who disconnects stops the calls of that stream, and the session is gone', async () => {
  const client = await it.sse();
  let stopped = 0;
  it.deeds.usage = (signal) =>
    new Promise((_done, fail) => {
      signal.addEventListener('abort', () => {
        stopped += 1;
        fail(signal.reason as Error);
      });
    });
  for (const id of [1, 2]) {
    await client.post({ jsonrpc: '2.0', id, method: 'tools/call', params: { name: 'memory/usage' } });
  }
  client.close();
  while (stopped < 2) await pause(5);
  assert.equal((await client.post({ jsonrpc: '2.0', id: 3, method: 'ping' })).status, 404);
});

/** A stream, as soon as those that were closed before are gone. */
async function opened(): Promise<SseClient> {
  for (const late = performance.now() + 60_000; ; await pause(2)) {
    const client = await it.sse();
    if (client.status === 200) return client;
    assert.ok(performance.now() < late, `status ${client.status}`);
  }
}

describe('limits of sessions', () => {
  test('wire 081: one more than a user may have: 429; one more than all may have: 503; the others go on', async () => {
    const own = [await opened(), await opened(), await opened()];
    const more = await http(it.target, { path: '/sse', headers: { authorization: 'Bearer alice' } });
    assert.equal(more.status, 429);
    assert.match(more.headers['retry-after'] ?? '', /^\d+$/);
    const others = [await it.sse('bob'), await it.sse('bob')];
    const total = await http(it.target, { path: '/sse', headers: { authorization: 'Bearer bob' } });
    assert.equal(total.status, 503);
    assert.match(total.headers['retry-after'] ?? '', /^\d+$/);
    for (const client of [...own, ...others]) {
      await client.ask(1, 'ping');
      client.close();
    }
    (await opened()).close();
  });

  test('wire 080: streams opened and closed in a loop leave nothing', async () => {
    for (let i = 0; i < 256; i += 1) (await opened()).close();
    for (const client of [await opened(), await opened(), await opened()]) client.close();
  });
});

test('wire 082: the end of the process: running calls answer, streams end', async () => {
  const own = await startHarness();
  const client = await own.sse();
  const held = heldWork();
  own.deeds.usage = held.work;
  const finishing = client.call(1, 'memory/usage');
  await held.begun();
  const stopping = own.frontend.stop(60_000);
  held.end('finished');
  assert.equal((await finishing).result?.content?.[0]?.text, 'finished');
  await client.closed;
  await stopping;
  await own.broker.stop();
});

test('wire 082: the end of the process: calls that do not end are answered with an error', async () => {
  const own = await startHarness();
  const client = await own.sse();
  const held = heldWork();
  own.deeds.usage = held.work;
  const waiting = client.call(1, 'memory/usage');
  await held.begun();
  await own.frontend.stop(50);
  const { result } = await waiting;
  assert.deepEqual([result?.isError, result?._meta?.['steward/code']], [true, 'SHUTTING_DOWN']);
  await own.broker.stop();
});
