/**
 * The same pair and the same broker for thousands of calls of many kinds, good ones and refused ones: they hold no more memory after
 * them than before, and no descriptor is left open.
 *
 * STEWARD_ATTACK_CALLS sets the number of calls at each door (default 1200).
 */
import assert from 'node:assert/strict';
import { mkdirSync, readFileSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { test } from 'node:test';
import { doorFrame, fileGrants } from '../support/door-frame.ts';

const CALLS = Number(process.env['STEWARD_ATTACK_CALLS'] ?? 1200);
/** Calls under way at a time. */
const LANES = 4;
/** Memory that belongs to the process alone and may be more at the end, in KiB. */
const FLAT_KB = 5 * 1024;
/** A heap that has not found its size yet gets another chance; what leaks grows in every round. */
const ROUNDS = 8;
/** Calls before memory is first measured: caches are full and the heap has found its size. */
const WARM_UP = Math.min(5000, CALLS / 2);

const frame = doorFrame({
  name: 'soak',
  anybody: true,
  prepare: (base) => {
    mkdirSync(join(base, 'sub'));
    for (const name of ['a', 'b', 'sub/c']) writeFileSync(join(base, name), 'line\n'.repeat(50));
    return { grants: fileGrants(base, ['list', 'read', 'find', 'filetype', 'create', 'update', 'chmod']) };
  },
});
const { base } = frame;

type Called = readonly [op: string, args: Record<string, unknown>, content?: string];

const KINDS: readonly ((n: number) => Called)[] = [
  () => ['files/read', { path: join(base, 'a') }],
  () => ['files/list', { path: base, all: true }],
  () => ['files/find', { path: base, name: '*' }],
  (n) => ['files/create', { path: join(base, `new-${n % 20}`) }, `content ${n}\n`],
  (n) => ['files/update', { path: join(base, 'b'), start_line: 1 + (n % 50), end_line: 1 + (n % 50) }, `line ${n}\n`],
  (n) => ['files/chmod', { path: join(base, 'sub'), mode: n % 2 === 0 ? '755' : '750', recursive: true }],
  () => ['files/filetype', { path: join(base, 'sub/c') }],
  () => ['files/read', { path: '/etc/shadow' }],
  () => ['files/chmod', { path: join(base, 'a'), mode: '999' }],
  () => ['processes/list', {}],
];

/** KiB of memory that is the process's own. */
const held = (pid: number): number => Number(/^RssAnon:\s+(\d+)/m.exec(readFileSync(`/proc/${pid}/status`, 'utf8'))?.[1]);

/** The processes that answer at a door. */
const processesAt = (door: number): number[] =>
  door === 1
    ? [frame.doors.broker.child.pid ?? 0]
    : [...frame.doors.pair.pids('steward-frontend'), ...frame.doors.pair.pids('steward-broker')];

async function calls(door: number, from: number, to: number): Promise<void> {
  let next = from;
  const lane = async (): Promise<void> => {
    for (let n = next++; n < to; n = next++) {
      const kind = KINDS[n % KINDS.length];
      const { code, text } = await frame.doors.callAt(door, ...(kind?.(n) ?? assert.fail()));
      assert.notEqual(code, 'INTERNAL', text);
      if (door === 1) frame.doors.broker.client.messages.length = 0;
    }
  };
  await Promise.all(Array.from({ length: LANES }, lane));
}

for (const [door, name] of ['through the frontend', 'straight at the broker'].entries()) {
  // abuse 98: both doors
  test(`${name}: memory and descriptors stay as they are`, { timeout: 3_600_000 }, async (context) => {
    await calls(door, 0, WARM_UP);
    const pids = processesAt(door);
    let grown: number[] = [];
    for (let round = 0; round < ROUNDS; round += 1) {
      const before = pids.map(held);
      await calls(door, WARM_UP, CALLS);
      const after = pids.map(held);
      grown = after.map((kilobytes, index) => kilobytes - (before[index] ?? 0));
      context.diagnostic(`${CALLS - WARM_UP} calls, ${grown.map((kb) => `${kb} KiB more`).join(' and ')}`);
      if (grown.every((kb) => kb < FLAT_KB)) break;
    }
    assert.ok(Math.max(...grown) < FLAT_KB, `still growing in the last of ${ROUNDS} rounds: ${grown.join(', ')} KiB`);
    await frame.doors.checkNothingIsLeft();
  });
}
