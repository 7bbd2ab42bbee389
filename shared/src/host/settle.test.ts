/** Garbage is given back soon after the start and after a burst, in calm moments, in processes of their own that are started as the daemons are. */
import assert from 'node:assert/strict';
import { spawnSync } from 'node:child_process';
import { test } from 'node:test';

const MIB = 1024 * 1024;
const SETTLE = JSON.stringify(new URL('./settle.ts', import.meta.url).href);
/** Leaves some 100 MiB of old garbage whenever `burst` is called, and says when the heap is small again. */
const PROGRAM = `
import { settleAfterStart } from ${SETTLE};
import { setTimeout as sleep } from 'node:timers/promises';
const total = () => process.memoryUsage().heapTotal;
const burst = () => {
  const held = [];
  for (let made = 0; made < 100; made += 1) held.push(new Array(${MIB / 8}).fill(made));
  return total();
};
const small = async () => {
  const end = Date.now() + 20_000;
  while (total() > ${30 * MIB} && Date.now() < end) await sleep(20);
  return total();
};
const said = [burst()];
settleAfterStart({ afterStart: 10, look: 50, times: 2, room: 8 * ${MIB} });
said.push(await small(), burst(), await small());
console.log(JSON.stringify(said));
`;

/** Has work all the time for many looks, then none; says how often everything was collected until the end of each. */
const BUSY = `
import { settleAfterStart } from ${SETTLE};
import { setImmediate as turn, setTimeout as sleep } from 'node:timers/promises';
let collections = 0;
const { gc } = globalThis;
globalThis.gc = (how) => {
  collections += 1;
  gc(how);
};
const said = [];
settleAfterStart({ afterStart: 10, look: 600_000, times: 2, room: 0 });
for (const end = performance.now() + 300; performance.now() < end; await turn()) JSON.stringify(said);
said.push(collections);
const end = Date.now() + 20_000;
while (collections === 0 && Date.now() < end) await sleep(20);
said.push(collections);
console.log(JSON.stringify(said));
`;

function run(flags: readonly string[], program = PROGRAM): number[] {
  const args = [...flags, '--initial-old-space-size=512', '--input-type=module', '-e', program];
  const { stdout, stderr, status } = spawnSync(process.execPath, args, { encoding: 'utf8', timeout: 120_000 });
  assert.equal(status, 0, stderr);
  return JSON.parse(stdout) as number[];
}

test('what the start and a burst left is given back, by a process that does nothing else', () => {
  const [started = 0, settled = 0, burst = 0, calm = 0] = run(['--expose-gc']);
  for (const grown of [started, burst]) assert.ok(grown > 80 * MIB, String(grown));
  for (const left of [settled, calm]) assert.ok(left < 30 * MIB, String(left));
});

test('a process that has work all the time is not stopped; once it is calm it collects, and then leaves it at that', () => {
  assert.deepEqual(run(['--expose-gc'], BUSY), [0, 1]);
});
