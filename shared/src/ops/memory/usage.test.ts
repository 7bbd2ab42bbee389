/** Proves the arithmetic on /proc/meminfo. */
import assert from 'node:assert/strict';
import { test } from 'node:test';
import { testContext, withTree } from '../../testing/context.ts';
import { memoryUsage } from './usage.ts';

const MEMINFO = `MemTotal:       1000 kB
MemFree:         100 kB
MemAvailable:    600 kB
Buffers:          50 kB
Cached:          300 kB
SwapTotal:       200 kB
SwapFree:        150 kB
Shmem:            20 kB
SReclaimable:     40 kB
HugePages_Total:       7
Active(anon):      3 kB
`;

function usage(meminfo: string, detailed: boolean) {
  return withTree({ 'proc/meminfo': meminfo }, (root) => memoryUsage.run({ detailed }, testContext({ root })));
}

test('totals in bytes', async () => {
  const kib = (n: number): number => n * 1024;
  assert.deepEqual(await usage(MEMINFO, false), {
    total: kib(1000),
    used: kib(510),
    free: kib(100),
    shared: kib(20),
    buffCache: kib(390),
    available: kib(600),
    swap_total: kib(200),
    swap_used: kib(50),
    swap_free: kib(150),
  });
});

test('details: sizes in bytes, counts as they are, and the file itself', async () => {
  const { meminfo, raw } = await usage(MEMINFO, true);
  assert.equal(meminfo?.['MemTotal'], 1000 * 1024);
  assert.equal(meminfo['HugePages_Total'], 7);
  assert.equal(meminfo['Active(anon)'], 3 * 1024);
  assert.equal(Object.keys(meminfo).length, 11);
  assert.equal(raw, MEMINFO);
});

test('parts that exceed the total do not go below zero; an old kernel has no MemAvailable', async () => {
  const seen = await usage('MemTotal: 100 kB\nMemFree: 60 kB\nCached: 70 kB\n', false);
  assert.equal(seen.used, 0);
  assert.equal(seen.available, 130 * 1024);
  assert.equal(seen.swap_total, 0);
});
