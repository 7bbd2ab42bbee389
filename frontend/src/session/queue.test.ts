/** Turns, order, the end of the queue, and giving up while waiting. */
import assert from 'node:assert/strict';
import { test } from 'node:test';
import { StewardError } from '@steward/shared/errors.ts';
import { CallQueue, MAX_WAITING } from './queue.ts';

const never = new AbortController().signal;
const soon = (): Promise<void> => new Promise((done) => setImmediate(done));

test('as many as the limit run, the others in their order', async () => {
  let limit = 2;
  const queue = new CallQueue(() => limit);
  const order: number[] = [];
  const releases: (() => void)[] = [];
  for (let i = 0; i < 5; i += 1) {
    void queue.enter(never).then((release) => {
      order.push(i);
      releases.push(release);
    });
  }
  await soon();
  assert.deepEqual(order, [0, 1]);
  releases[1]?.();
  releases[1]?.(); // twice is once
  await soon();
  assert.deepEqual(order, [0, 1, 2]);
  limit = 3;
  releases[0]?.();
  await soon();
  assert.deepEqual(order, [0, 1, 2, 3, 4]);
});

test('who gives up while waiting leaves the queue with the reason of the signal', async () => {
  const queue = new CallQueue(() => 1);
  const release = await queue.enter(never);
  const gone = new AbortController();
  const waiting = queue.enter(gone.signal);
  const after = queue.enter(never);
  gone.abort(new StewardError('cancelled'));
  await assert.rejects(waiting, { key: 'cancelled' });
  release();
  assert.equal(typeof (await after), 'function');
  await assert.rejects(queue.enter(gone.signal), { key: 'cancelled' });
});

test('the queue has an end', async () => {
  const queue = new CallQueue(() => 1);
  await queue.enter(never);
  for (let i = 0; i < MAX_WAITING; i += 1) void queue.enter(never);
  await assert.rejects(queue.enter(never), { key: 'too_many_waiting', params: { count: MAX_WAITING } });
});
