/** Proves what processes/list and processes/top read, on a fixture of /proc. */
import assert from 'node:assert/strict';
import { writeFileSync } from 'node:fs';
import { test } from 'node:test';
import { parseProcessStat, parseProcessStatus } from '../../host/processes.ts';
import { PROC_TREE, processFiles } from '../../fixtures/processes.ts';
import { failsWith, testContext, withTree } from '../../testing/context.ts';
import { processesList, type ProcessRecord } from './list.ts';
import { processesTop, timePlus, type TopRecord } from './top.ts';
import { countTasks, cpuPercent, uptimeText } from './top-summary.ts';

type ListArgs = Parameters<typeof processesList.run>[0];

function list(args: ListArgs, tree = PROC_TREE): Promise<ProcessRecord[]> {
  return withTree(tree, async (root) => {
    const context = testContext<ProcessRecord>({ root });
    await processesList.run(args, context);
    return context.records;
  });
}

const pids = (records: readonly { pid: number }[]): number[] => records.map(({ pid }) => pid);

test('all processes by pid', async () => {
  const all = await list({});
  assert.deepEqual(pids(all), [1, 2, 9, 812, 900, 901, 905]);
  assert.deepEqual(all[3], {
    pid: 812,
    user: 'www-data',
    comm: 'nginx',
    state: 'S',
    ppid: 1,
    rss_bytes: 30_000 * 1024,
    cmdline: 'nginx: worker process',
  });
  assert.deepEqual(
    all.map(({ cmdline }) => cmdline),
    [
      '/sbin/init splash',
      '[kthreadd]',
      '[kworker/0:1H-events]',
      'nginx: worker process',
      'sh -c echo a\nb',
      '[gone]',
      '[migration]',
    ],
  );
  assert.equal(all[4]?.comm, 'a) R (b');
  assert.ok(!JSON.stringify(all).includes('hunter2'));
});

test('by memory, limited', async () => {
  assert.deepEqual(pids(await list({ sort_by: 'mem', limit: 3 })), [812, 1, 900]);
  assert.deepEqual(pids(await list({ limit: 0 })).length, 7);
});

test('of one account by name or number, which is never a pid', async () => {
  assert.deepEqual(pids(await list({ user: 'administrator' })), [900, 901]);
  assert.deepEqual(pids(await list({ user: '1000' })), [900, 901]);
  assert.deepEqual(pids(await list({ user: '812' })), []);
  assert.deepEqual(pids(await list({ user: 'nobody-there' })), []);
  assert.deepEqual(pids(await list({ user: '-1' })), []);
});

test('one process; a thread is none', async () => {
  const tree = { ...PROC_TREE, ...processFiles({ pid: 813, comm: 'nginx', tgid: 812 }) };
  assert.deepEqual(pids(await list({ pid: 812 }, tree)), [812]);
  assert.deepEqual(pids(await list({ pid: 812, user: 'root' }, tree)), []);
  assert.deepEqual(await list({ pid: 4711 }, tree), []);
  assert.deepEqual(await list({ pid: 813 }, tree), []);
  assert.deepEqual(pids(await list({}, tree)), [1, 2, 9, 812, 900, 901, 905]);
});

test('by use of processors since a sample', async () => {
  await withTree(PROC_TREE, async (root) => {
    const context = testContext<ProcessRecord>({ root });
    const running = processesList.run({ sort_by: 'cpu', limit: 2 }, context);
    setTimeout(() => writeFileSync(`${root}/proc/900/stat`, statOf({ pid: 900, comm: 'busy', times: [40, 10] })), 100);
    await running;
    const [first, second] = context.records;
    assert.deepEqual([first?.pid, second?.pid], [900, 1]);
    const percent = first?.cpu_percent ?? 0;
    assert.ok(percent > 70 && percent <= 100, String(percent)); // half a second of work in a little more than that
    assert.equal(second?.cpu_percent, 0);
  });
});

function statOf(given: Parameters<typeof processFiles>[0]): string {
  return processFiles(given)[`proc/${String(given.pid)}/stat`] ?? '';
}

test('a caller who is gone is not waited for', async () => {
  const controller = new AbortController();
  setTimeout(() => controller.abort(), 60);
  const began = performance.now();
  await withTree(PROC_TREE, async (root) => {
    const context = testContext<TopRecord>({ root, signal: controller.signal });
    await assert.rejects(processesTop.run({ interval_ms: 10_000 }, context));
  });
  assert.ok(performance.now() - began < 2000);
});

function top(args: Parameters<typeof processesTop.run>[0], tree = PROC_TREE) {
  return withTree(tree, async (root) => {
    const context = testContext<TopRecord>({ root });
    const running = processesTop.run({ interval_ms: 300, ...args }, context);
    setTimeout(() => {
      writeFileSync(`${root}/proc/stat`, 'cpu  150 10 75 1000 20 5 5 10 0 0\n');
      writeFileSync(`${root}/proc/812/stat`, statOf({ pid: 812, comm: 'nginx', times: [6004, 124] }));
    }, 150);
    return { summary: await running, records: context.records };
  });
}

test('a snapshot', async () => {
  const { summary, records } = await top({});
  const { time, ...rest } = summary;
  assert.match(time, /^\d\d:\d\d:\d\d$/);
  assert.deepEqual(rest, {
    uptime: '22 min',
    uptime_seconds: 1334.5,
    users: 0,
    load_average: [0.52, 0.48, 0.45],
    tasks: { total: 7, running: 1, sleeping: 4, stopped: 1, zombie: 1 },
    cpu_percent: { us: 18.2, sy: 9.1, ni: 0, id: 72.7, wa: 0, hi: 0, si: 0, st: 0 },
    mem_bytes: { total: 102_400_000, free: 40_960_000, used: 39_424_000, buff_cache: 22_016_000 },
    swap_bytes: { total: 2_048_000, free: 1_536_000, used: 512_000, avail_mem: 61_440_000 },
  });
  const { cpu_percent: percent, ...first } = records[0] ?? { cpu_percent: 0 };
  assert.ok(percent > 5 && percent <= 16.7, String(percent)); // 50 ms of work in 300 ms or more
  assert.deepEqual(first, {
    pid: 812,
    user: 'www-data',
    pr: '20',
    ni: 0,
    virt_bytes: 60_000 * 1024,
    res_bytes: 30_000 * 1024,
    shr_bytes: 5024 * 1024,
    s: 'S',
    mem_percent: 30,
    time_plus: '1:01.28',
    command: 'nginx',
    cmdline: 'nginx: worker process',
    ppid: 1,
    threads: 1,
  });
  assert.equal(records.find(({ pid }) => pid === 905)?.pr, 'rt');
  assert.ok(!JSON.stringify(records).includes('hunter2'));
});

test('orders, one account, a limit', async () => {
  const { summary, records } = await top({ sort_by: 'pid', user: 'administrator' });
  assert.deepEqual(pids(records), [900, 901]);
  assert.equal(summary.tasks.total, 7, 'the head is about the whole host');
  assert.deepEqual(pids((await top({ sort_by: 'res', limit: 2 })).records), [812, 1]);
  assert.deepEqual(pids((await top({ sort_by: 'mem', limit: 1 })).records), [812]);
  assert.deepEqual(pids((await top({ sort_by: 'time', limit: 2 })).records), [812, 1]);
  assert.deepEqual((await top({ user: '1000' })).records, [], 'top takes names only');
});

test('an interval that is too short is the shortest', async () => {
  const began = performance.now();
  await withTree(PROC_TREE, (root) => processesTop.run({ interval_ms: -5 }, testContext<TopRecord>({ root })));
  assert.ok(performance.now() - began >= 99);
});

test('without /proc/stat there is no snapshot', async () => {
  const { 'proc/stat': _, ...rest } = PROC_TREE;
  const missing = failsWith('read_system', { path: '/proc/stat' });
  await withTree(rest, (root) => assert.rejects(processesTop.run({}, testContext<TopRecord>({ root })), missing));
});

test('times and shares in words', () => {
  assert.deepEqual([59, 60, 3600, 86_399, 86_400, 2 * 86_400 + 4 * 3600 + 300, 40 * 86_400 + 13 * 3600].map(uptimeText), [
    '0 min',
    '1 min',
    '1:00',
    '23:59',
    '1 day, 0 min',
    '2 days,  4:05',
    '40 days, 13:00',
  ]);
  assert.deepEqual([0, 99, 6128, 360_000].map(timePlus), ['0:00.00', '0:00.99', '1:01.28', '60:00.00']);
  assert.deepEqual(cpuPercent([], []), { us: 0, sy: 0, ni: 0, id: 0, wa: 0, hi: 0, si: 0, st: 0 });
  assert.deepEqual(countTasks([...'RSDITtZX'].map((state) => ({ state }))), {
    total: 8,
    running: 1,
    sleeping: 4,
    stopped: 2,
    zombie: 1,
  });
});

test('what is no stat or status file', () => {
  assert.equal(parseProcessStat(''), undefined);
  assert.equal(parseProcessStatus('Name:\tx\n'), undefined);
  // a name that looks like a line of its own is escaped by the kernel, but blanks and colons are not
  const status = processFiles({ pid: 5, comm: 'Uid:\\n0', uids: [7, 8] })['proc/5/status'] ?? '';
  assert.deepEqual([parseProcessStatus(status)?.realUid, parseProcessStatus(status)?.effectiveUid], [7, 8]);
});
