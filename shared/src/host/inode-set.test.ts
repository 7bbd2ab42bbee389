/** Proves that the set tells files apart exactly, also beyond 2^53 and after it has grown. */
import assert from 'node:assert/strict';
import { test } from 'node:test';
import { InodeSet } from './inode-set.ts';

test('a file is new once, on each device', () => {
  const set = new InodeSet();
  assert.deepEqual([set.add(1n, 7n), set.add(1n, 7n), set.add(2n, 7n), set.add(2n, 7n)], [true, false, true, false]);
  assert.equal(set.size, 2);
});

test('inode numbers of 64 bits that a double cannot tell apart', () => {
  const set = new InodeSet();
  const base = 2n ** 63n;
  for (let number = 0n; number < 100n; number++) assert.equal(set.add(0n, base + number), true);
  for (let number = 0n; number < 100n; number++) assert.equal(set.add(0n, base + number), false);
  assert.equal(set.add(0n, 0n), true);
});

test('many, in few bytes', () => {
  const set = new InodeSet();
  const count = 200_000;
  const before = process.memoryUsage().arrayBuffers;
  for (let number = 0; number < count; number++) set.add(5n, BigInt(number * 3));
  const bytes = process.memoryUsage().arrayBuffers - before;
  assert.equal(set.size, count);
  assert.ok(bytes < count * 64, String(bytes)); // tables that it has outgrown included
  for (let number = 0; number < count; number++) if (set.add(5n, BigInt(number * 3))) assert.fail(String(number));
});
