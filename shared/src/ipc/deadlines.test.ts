/** One timer for many ends: each is told when its time is over, none before, and none that is gone. */
import assert from 'node:assert/strict';
import { test } from 'node:test';
import { setTimeout as sleep } from 'node:timers/promises';
import { Deadlines } from './deadlines.ts';

interface Told {
  readonly deadlines: Deadlines<string>;
  /** What expired, and whether that was too early. */
  readonly told: string[];
  add(item: string, inMs: number): void;
}

function watching(): Told {
  const ends = new Map<string, number>();
  const told: string[] = [];
  const deadlines = new Deadlines<string>((item) =>
    told.push(performance.now() < (ends.get(item) ?? 0) ? `${item} too early` : item),
  );
  const add = (item: string, inMs: number): void => {
    ends.set(item, performance.now() + inMs);
    deadlines.add(item, performance.now() + inMs);
  };
  return { deadlines, told, add };
}

/** A pending timer keeps the test alive, which one without a reference would not. */
async function until(condition: () => boolean): Promise<void> {
  for (let tries = 0; !condition(); tries += 1) {
    assert.ok(tries < 2000, 'it was never told');
    await sleep(5);
  }
}

test('each is told at its end, whatever the order in which they came', async () => {
  const { told, add } = watching();
  add('late', 60);
  add('early', 10);
  add('never', 3_600_000);
  add('now', -5);
  await until(() => told.length >= 3);
  await sleep(10);
  assert.deepEqual(told.toSorted(), ['early', 'late', 'now']);
});

test('what ended before is not told, and what comes later still is', async () => {
  const { deadlines, told, add } = watching();
  add('ended', 10);
  deadlines.delete('ended');
  await sleep(30);
  add('moved', 10);
  add('moved', 50);
  add('first', 20);
  await until(() => told.length > 1);
  assert.deepEqual(told.toSorted(), ['first', 'moved']);
});

test('an end that is told may remove others and bring new ones', async () => {
  const told: string[] = [];
  const deadlines: Deadlines<string> = new Deadlines((item) => {
    told.push(item);
    deadlines.delete('b');
    if (item === 'a') deadlines.add('c', performance.now() + 10);
  });
  for (const item of ['a', 'b']) deadlines.add(item, performance.now() + 5);
  await until(() => told.includes('c'));
  assert.deepEqual(told, ['a', 'c']);
});
