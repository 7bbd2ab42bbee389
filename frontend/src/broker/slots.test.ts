/** Turns per user and in all. */
import assert from 'node:assert/strict';
import { test } from 'node:test';
import { MAX_RUNNING, MAX_RUNNING_PER_USER, RootSlots } from './slots.ts';

const never = new AbortController().signal;
const soon = (): Promise<void> => new Promise((done) => setImmediate(done));

function ask(slots: RootSlots, user: string, times: number): (() => void)[] {
  const given: (() => void)[] = [];
  for (let i = 0; i < times; i += 1) void Promise.resolve(slots.enter(user, never)).then((release) => given.push(release));
  return given;
}

test('one user waits for that user alone', async () => {
  const slots = new RootSlots();
  const ofA = ask(slots, 'a', MAX_RUNNING_PER_USER + 2);
  const ofB = ask(slots, 'b', 1);
  await soon();
  assert.deepEqual([ofA.length, ofB.length], [MAX_RUNNING_PER_USER, 1]);
  ofA[0]?.();
  ofA[0]?.();
  await soon();
  assert.equal(ofA.length, MAX_RUNNING_PER_USER + 1);
});

test('never more than the broker runs in all', async () => {
  const slots = new RootSlots();
  const all = ['a', 'b', 'c', 'd', 'e'].map((user) => ask(slots, user, MAX_RUNNING_PER_USER));
  await soon();
  assert.equal(all.flat().length, MAX_RUNNING);
  for (const release of all.flat()) release();
  await soon();
  assert.equal(all.flat().length, 5 * MAX_RUNNING_PER_USER);
});

test('who gives up leaves the queue', async () => {
  const slots = new RootSlots();
  const running = ask(slots, 'a', MAX_RUNNING_PER_USER);
  const gone = new AbortController();
  const waiting = Promise.resolve(slots.enter('a', gone.signal));
  gone.abort(new Error('gone'));
  await assert.rejects(waiting, /gone/);
  await assert.rejects(Promise.resolve(slots.enter('a', gone.signal)), /gone/);
  await soon();
  running[0]?.();
  assert.equal(typeof (await slots.enter('a', never)), 'function');
});
