/** Garbage is given back soon after the start and after a burst, in a process of its own that is started as the daemons are. */
import assert from 'node:assert/strict';
import { spawnSync } from 'node:child_process';
import { test } from 'node:test';

const MIB = 1024 * 1024;
/** Leaves some 100 MiB of old garbage whenever `burst` is called, and says when the heap is small again. */
const PROGRAM = `
import { settleAfterStart } from ${JSON.stringify(new URL('./settle.ts', import.meta.url).href)};
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

function run(flags: readonly string[]): number[] {
  const args = [...flags, '--initial-old-space-size=512', '--input-type=module', '-e', PROGRAM];
  const { stdout, stderr, status } = spawnSync(process.execPath, args, { encoding: 'utf8', timeout: 120_000 });
  assert.equal(status, 0, stderr);
  return JSON.parse(stdout) as number[];
}

test('what the start and a burst left is given back, by a process that does nothing else', () => {
  const [started = 0, settled = 0, burst = 0, calm = 0] = run(['--expose-gc']);
  for (const grown of [started, burst]) assert.ok(grown > 80 * MIB, String(grown));
  for (const left of [settled, calm]) assert.ok(left < 30 * MIB, String(left));
});
