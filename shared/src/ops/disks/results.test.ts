/** Proves that what the disk operations answer, on this host and on the fixture, is what their schemas declare. */
import assert from 'node:assert/strict';
import { test } from 'node:test';
import { BLOCK_DEVICES } from '../../fixtures/block-devices.ts';
import type { Schema } from '../../schema.ts';
import { testContext } from '../../testing/context.ts';
import { withFixture } from '../../testing/fixture.ts';
import { runOp } from '../../testing/operations.ts';
import { misfit } from '../../testing/schema.ts';
import type { AnyOperation } from '../operation.ts';
import { disksFree } from './free.ts';
import { disksList } from './list.ts';
import { disksMounts } from './mounts.ts';
import { disksPartitions } from './partitions.ts';
import { disksPerformance } from './performance.ts';
import { disksUsage } from './usage.ts';

/** Records and summary of one run, against the declarations. */
function check(op: AnyOperation, result: unknown, records: readonly unknown[], least = 1): void {
  assert.equal(misfit(op.result, result), undefined, op.name);
  assert.ok(records.length >= least, `${op.name}: ${String(records.length)} records`);
  for (const record of records) assert.equal(misfit(op.record as Schema, record), undefined, op.name);
}

async function run(op: AnyOperation, root: string, least: number): Promise<void> {
  const context = testContext<unknown>({ root });
  check(op, await op.run({}, context), context.records, least);
}

test('on a fixture and on this host', async () => {
  await withFixture(BLOCK_DEVICES, async (root) => {
    await run(disksList, root, 9);
    await run(disksMounts, root, 10);
    await run(disksPartitions, root, 7);
  });
  await run(disksList, '/', 0);
  await run(disksMounts, '/', 1);
  await run(disksPartitions, '/', 0);
  await run(disksPerformance, '/', 0);
});

test('devices below devices are declared like those at the top', () =>
  withFixture(BLOCK_DEVICES, async (root) => {
    const context = testContext<{ children: readonly object[] }>({ root });
    await disksList.run({ all: true }, context);
    const all = (devices: readonly object[]): object[] =>
      devices.flatMap((device) => [device, ...all((device as { children: readonly object[] }).children)]);
    for (const device of all(context.records)) assert.equal(misfit(disksList.record as Schema, device), undefined);
  }));

test('of paths', async () => {
  const free = await runOp(disksFree, { path: '/tmp', inodes: true });
  assert.equal(misfit(disksFree.result, free.result), undefined);
  const { result, records } = await runOp(disksUsage, { path: '/etc', all: true, max_depth: 1 });
  check(disksUsage, result, records, 10);
});
