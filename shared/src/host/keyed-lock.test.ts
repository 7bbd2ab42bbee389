/** Proves that work under one key never overlaps, keeps its order, and does not hold up other keys. */
import assert from 'node:assert/strict';
import { test } from 'node:test';
import { setTimeout as sleep } from 'node:timers/promises';
import { KeyedLock } from './keyed-lock.ts';

test('one after the other for each key, failures too', async () => {
  const lock = new KeyedLock();
  const seen: string[] = [];
  const work =
    (name: string, fails = false) =>
    async () => {
      seen.push(`${name} begins`);
      await sleep(2);
      seen.push(`${name} ends`);
      if (fails) throw new Error(name);
      return name;
    };
  const first = lock.run('a', work('1', true));
  const second = lock.run('a', work('2'));
  const third = lock.run('a', work('3'));
  await assert.rejects(first, { message: '1' });
  assert.deepEqual(await Promise.all([second, third]), ['2', '3']);
  assert.deepEqual(seen, ['1 begins', '1 ends', '2 begins', '2 ends', '3 begins', '3 ends']);
  assert.equal(await lock.run('a', work('4')), '4');
});

test('other keys go on', async () => {
  const lock = new KeyedLock();
  const never = Promise.withResolvers<string>();
  const held = lock.run('a', () => never.promise);
  assert.equal(await lock.run('b', () => Promise.resolve('b')), 'b');
  never.resolve('a');
  assert.equal(await held, 'a');
});
