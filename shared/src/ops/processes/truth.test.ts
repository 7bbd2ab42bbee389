/** Compares the readers of processes with ps, top, free and uptime on this machine at this moment. */
import assert from 'node:assert/strict';
import { randomBytes } from 'node:crypto';
import { readFileSync } from 'node:fs';
import { after, test } from 'node:test';
import { testContext } from '../../testing/context.ts';
import { outputOf, without } from '../../testing/programs.ts';
import { endVictim, startVictim } from '../../testing/victims.ts';
import { processesList, type ProcessRecord } from './list.ts';
import { processesTop, type TopRecord } from './top.ts';

const SECRET = randomBytes(16).toString('hex');
const victim = startVictim({ secret: SECRET });
after(() => endVictim(victim));

async function list(): Promise<Map<number, ProcessRecord>> {
  const context = testContext<ProcessRecord>();
  await processesList.run({}, context);
  return new Map(context.records.map((record) => [record.pid, record]));
}

function same(a: ProcessRecord | undefined, b: ProcessRecord): boolean {
  return a !== undefined && JSON.stringify(a) === JSON.stringify(b);
}

test('processes/list and ps', { skip: without('ps') }, async () => {
  const before = await list();
  const lines = outputOf('ps', '-eww', '-o', 'pid=,ruser:32=,ppid=,rss=,state=,comm:64=').split('\n');
  const afterwards = await list();
  let compared = 0;
  for (const line of lines) {
    const [, pid, user, ppid, rss, state, comm] = /^ *(\d+) +(\S+) +(\d+) +(\d+) +(\S) +(.*?) *$/.exec(line) ?? [];
    const mine = afterwards.get(Number(pid));
    // What changed while ps was looking cannot be compared.
    if (mine === undefined || !same(before.get(Number(pid)), mine)) continue;
    assert.deepEqual(
      [mine.user, mine.ppid, mine.rss_bytes, mine.comm.split(':')[0]],
      [user, Number(ppid), Number(rss) * 1024, comm?.replace(/ <defunct>$/, '').split(':')[0]],
    );
    // Others wake and sleep again in no time.
    if (mine.pid === victim) assert.equal(mine.state, state);
    compared += 1;
  }
  assert.ok(compared > 3, `${String(compared)} processes compared`);
});

test('command lines and ps', { skip: without('ps') }, async () => {
  const mine = (await list()).get(victim);
  assert.equal(mine?.cmdline, outputOf('ps', '-ww', '-p', String(victim), '-o', 'args=').trim());
});

test('processes/top and top', { skip: without('top') }, async () => {
  const context = testContext<TopRecord>();
  const summary = await processesTop.run({ interval_ms: 100 }, context);
  const output = outputOf('top', '-b', '-n', '1', '-w', '200');
  const record = context.records.find(({ pid }) => pid === victim);
  const row = output
    .split('\n')
    .find((line) => line.trim().startsWith(`${String(victim)} `))
    ?.trim()
    .split(/\s+/);
  assert.deepEqual(
    [record?.pr, record?.ni, record?.virt_bytes, record?.res_bytes, record?.shr_bytes, record?.s, record?.command],
    [row?.[2], ...[3].map((at) => Number(row?.[at])), ...[4, 5, 6].map((at) => Number(row?.[at]) * 1024), row?.[7], row?.[11]],
  );
  const uptime = / up +(.*?), +\d+ users?/.exec(output)?.[1];
  const minute = Number(/(\d+)( min)?$/.exec(summary.uptime)?.[1]);
  assert.ok(
    Math.abs(minute - Number(/(\d+)( min)?$/.exec(uptime ?? '')?.[1])) % 59 <= 1,
    `${summary.uptime} and ${String(uptime)}`,
  );
});

test('tasks and top', { skip: without('top') }, async () => {
  // Others start and end processes meanwhile: equal, or nearly so, within a few tries.
  let apart = Infinity;
  for (let tries = 0; tries < 20 && apart > 3; tries++) {
    const { tasks } = await processesTop.run({ interval_ms: 100, limit: 1 }, testContext<TopRecord>());
    const total = Number(/^Tasks: *(\d+) total/m.exec(outputOf('top', '-b', '-n', '1'))?.[1]);
    apart = Math.min(apart, Math.abs(tasks.total - total));
  }
  assert.ok(apart <= 3, `${String(apart)} tasks apart`);
});

test('memory and free', { skip: without('free') }, async () => {
  const { mem_bytes: memory, swap_bytes: swap } = await processesTop.run(
    { interval_ms: 100, limit: 1 },
    testContext<TopRecord>(),
  );
  const [, ram, paged] = outputOf('free', '-b')
    .split('\n')
    .map((line) => line.trim().split(/\s+/));
  assert.equal(memory.total, Number(ram?.[1]));
  assert.deepEqual(
    [swap.total, swap.used, swap.free],
    [1, 2, 3].map((at) => Number(paged?.[at])),
  );
  assert.ok(Math.abs(memory.free - Number(ram?.[3])) < memory.total / 5);
});

test('nothing of any environment', async () => {
  assert.ok(readFileSync(`/proc/${String(victim)}/environ`, 'utf8').includes(SECRET));
  const context = testContext<TopRecord>();
  const summary = await processesTop.run({ interval_ms: 100 }, context);
  const everything = JSON.stringify([summary, context.records, [...(await list()).values()]]);
  assert.ok(everything.includes('sleep 60') && !everything.includes(SECRET));
});
