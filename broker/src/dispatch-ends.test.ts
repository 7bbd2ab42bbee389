/** How a call ends that does not end by itself: cancelled, late, one too many, defective, or because the broker ends. */
import assert from 'node:assert/strict';
import { test } from 'node:test';
import { setTimeout as sleep } from 'node:timers/promises';
import { StewardError } from '@steward/shared/errors.ts';
import { done, hangs, kinds, row, world, type Work } from '../../test/support/row-world.ts';

test('a call that has begun nothing is stopped, one that has begun is waited for', async () => {
  const finish = Promise.withResolvers<string>();
  const begins: Work = (_args, context) => {
    context.begin();
    return finish.promise;
  };
  const it = world([row('hangs', hangs), row('begins', begins)]);
  const [first, second] = [it.call('hangs'), it.call('begins')];
  await sleep(5);
  it.dispatcher.cancel(first);
  it.dispatcher.cancel(second);
  assert.equal((await it.answer(first)).error?.key, 'cancelled');
  await sleep(10);
  assert.equal(it.answers.has(second), false);
  finish.resolve('finished');
  assert.equal((await it.answer(second)).value, 'finished');
  assert.deepEqual(kinds(it), ['intent', 'intent', 'outcome CANCELLED', 'outcome OK']);
});

test('a call that is stopped while its intent is being recorded fails once, whatever its work says later', async () => {
  const it = world([row('stopped', (_args, { signal }) => Promise.reject(signal.reason as Error)), row('quick', done)]);
  it.auditMs = 20;
  const id = it.call('stopped');
  await sleep(5);
  it.dispatcher.cancel(id);
  assert.equal((await it.answer(id)).error?.key, 'cancelled');
  assert.equal((await it.answer(it.call('quick'))).value, 'done');
  assert.deepEqual(kinds(it).slice(0, 2), ['intent', 'outcome CANCELLED']);
});

// abuse 96: broker
test('it is too late to begin after the deadline; deadlines of nothing and of ages are clamped', async () => {
  let late: unknown;
  const it = world([
    row('late', async (_args, context) => {
      await sleep(200);
      try {
        context.begin();
      } catch (error) {
        late = error;
      }
    }),
    row('quick', done),
  ]);
  const answer = await it.answer(it.call('late', { deadline_ms: 1 }));
  assert.deepEqual([answer.error?.key, answer.error?.params], ['timeout', { seconds: 1 }]);
  for (const deadline_ms of [0, 1, 2 ** 31]) assert.equal((await it.answer(it.call('quick', { deadline_ms }))).value, 'done');
  await it.dispatcher.idle();
  assert.equal((late as StewardError).key, 'timeout');
});

test('eight calls of one user run, and a slot is free only when its operation has ended', async () => {
  const finish = Promise.withResolvers<undefined>();
  const it = world([row('slow', () => finish.promise), row('quick', done)]);
  const ids = Array.from({ length: 8 }, () => it.call('slow'));
  assert.equal((await it.answer(it.call('quick'))).error?.key, 'busy');
  it.dispatcher.cancel(ids[0] ?? 0);
  await it.answer(ids[0] ?? 0);
  assert.equal((await it.answer(it.call('quick'))).error?.key, 'busy');
  finish.resolve(undefined);
  await it.dispatcher.idle();
  assert.equal((await it.answer(it.call('quick'))).value, 'done');
});

test('a defect is answered with the request id alone, and the next call works', async () => {
  const it = world([
    row('throws', () => {
      throw new TypeError('secret detail');
    }),
    row('large', () => Promise.resolve('x'.repeat(2 * 1024 * 1024))),
    row('quick', done),
  ]);
  const id = it.call('throws');
  assert.deepEqual((await it.answer(id)).error, { key: 'internal', params: { request: `r${id}` } });
  assert.equal((await it.answer(it.call('large'))).error?.key, 'internal');
  assert.equal((await it.answer(it.call('quick'))).value, 'done');
  assert.ok(!JSON.stringify(it.records).includes('secret detail'));
});

test('a broker that ends refuses what comes and stops what has begun nothing', async () => {
  const it = world([row('hangs', hangs)]);
  const id = it.call('hangs');
  await sleep(5);
  it.dispatcher.stopAll(new StewardError('shutting_down'));
  assert.equal((await it.answer(id)).error?.key, 'shutting_down');
  assert.equal((await it.answer(it.call('hangs'))).error?.key, 'shutting_down');
});
