/** Proves that what the process operations answer, on this host and on the fixture, is what their schemas declare. */
import assert from 'node:assert/strict';
import { after, test } from 'node:test';
import { PROC_TREE } from '../../fixtures/processes.ts';
import type { Schema } from '../../schema.ts';
import { testContext, withTree } from '../../testing/context.ts';
import { misfit } from '../../testing/schema.ts';
import { endVictim, startVictim } from '../../testing/victims.ts';
import type { AnyOperation } from '../operation.ts';
import { processesDelete } from './delete.ts';
import { processesList } from './list.ts';
import { PROCESS_READS } from './resource.ts';
import { processesTop } from './top.ts';

const pid = startVictim();
after(() => endVictim(pid));

async function check(op: AnyOperation, args: object, root: string): Promise<void> {
  const context = testContext<unknown>({ root });
  assert.equal(misfit(op.result, await op.run(args, context)), undefined, op.name);
  assert.ok(op.kind === 'value' || context.records.length > 0, op.name);
  for (const record of context.records) assert.equal(misfit(op.record as Schema, record), undefined, op.name);
}

test('lists and snapshots', async () => {
  const both = async (root: string): Promise<void> => {
    await check(processesList, {}, root);
    await check(processesList, { sort_by: 'cpu' }, root);
    await check(processesTop, { interval_ms: 100 }, root);
  };
  await withTree(PROC_TREE, both);
  await both('/');
});

test('one process', async () => {
  for (const op of PROCESS_READS) await check(op, { pid }, '/');
  await check(processesDelete, { pid, dry_run: true }, '/');
  await check(processesDelete, { pid, signal: 'SIGKILL' }, '/');
});
