/** Proves texts, JSON forms and argument rules of the process tools. */
import assert from 'node:assert/strict';
import { test } from 'node:test';
import type { ProcessRecord } from '@steward/shared/ops/processes/list.ts';
import type { TopRecord } from '@steward/shared/ops/processes/top.ts';
import type { TopSummary } from '@steward/shared/ops/processes/top-summary.ts';
import { failsWith } from '@steward/shared/testing/context.ts';
import { collect, optionsOf, outcomeOf, textOf } from '../../testing/outcome.ts';
import { checkArguments } from '../arguments.ts';
import { parametersOf } from '../parameters.ts';
import type { AnyTool, Form } from '../tool.ts';
import { processesDeleteTool } from './delete.ts';
import { PROCESS_TOOLS } from './index.ts';
import { processesListTool } from './list.ts';
import { processesTopTool } from './top.ts';

const NGINX: ProcessRecord = {
  pid: 812,
  user: 'www-data',
  comm: 'nginx',
  state: 'S',
  ppid: 1,
  rss_bytes: 30_720,
  cmdline: 'nginx: worker\nprocess',
};

test('processes/list: the table, and that of one process', async () => {
  const text = (records: readonly ProcessRecord[], args: { pid?: number }, human = false) =>
    textOf(processesListTool.text(outcomeOf({}, records), optionsOf(args, { human })));
  assert.equal(
    await text([NGINX], {}),
    'PID  USER      COMM   STATE  PPID  RSS_BYTES  CMDLINE\n812  www-data  nginx  S      1     30720      nginx: worker\\nprocess',
  );
  assert.equal(
    await text([NGINX], { pid: 812 }, true),
    'PID  PPID  USER      STAT  RSS       COMMAND\n812  1     www-data  S     30.0 KiB  nginx: worker\\nprocess',
  );
  assert.equal(await text([], {}), 'PID  USER  COMM  STATE  PPID  RSS_BYTES  CMDLINE');
  assert.equal(await text([], { pid: 4711 }), 'PID  PPID  USER  STAT  RSS  COMMAND');
});

const SUMMARY: TopSummary = {
  time: '21:16:06',
  uptime: '22 min',
  uptime_seconds: 1334.5,
  users: 1,
  load_average: [0.52, 0.48, 0.45],
  tasks: { total: 120, running: 1, sleeping: 119, stopped: 0, zombie: 0 },
  cpu_percent: { us: 1.2, sy: 0.5, ni: 0, id: 98, wa: 0.2, hi: 0, si: 0.1, st: 0 },
  mem_bytes: { total: 16_777_216_000, free: 9_000_000_000, used: 4_000_000_000, buff_cache: 3_777_216_000 },
  swap_bytes: { total: 0, free: 0, used: 0, avail_mem: 12_000_000_000 },
};
const ROW: TopRecord = {
  pid: 812,
  user: 'administrator',
  pr: '20',
  ni: 0,
  virt_bytes: 1_048_576,
  res_bytes: 524_288,
  shr_bytes: 4096,
  s: 'S',
  cpu_percent: 12.5,
  mem_percent: 0,
  time_plus: '1:01.28',
  command: 'nginx',
  cmdline: 'nginx: worker process',
  ppid: 1,
  threads: 4,
};

function top(form: Form, human = false, summary = SUMMARY): Promise<string> {
  const outcome = outcomeOf(summary, [ROW]);
  const options = optionsOf({}, { form, human });
  return textOf(
    form === 'text' ? processesTopTool.text(outcome, options) : (processesTopTool.json?.(outcome, options) ?? { text: '' }),
  );
}

const HEAD = `top - 21:16:06 up 22 min,  1 user,  load average: 0.52, 0.48, 0.45
Tasks: 120 total,   1 running, 119 sleeping,   0 stopped,   0 zombie
%Cpu(s):  1.2 us,  0.5 sy,  0.0 ni, 98.0 id,  0.2 wa,  0.0 hi,  0.1 si,  0.0 st
B Mem : 16777216000 total, 9000000000 free, 4000000000 used, 3777216000 buff/cache
B Swap: 0 total, 0 free, 0 used. 12000000000 avail Mem`;

test('processes/top: the layout of top in batch mode', async () => {
  const table = `PID  USER      PR  NI  VIRT     RES     SHR   S  %CPU  %MEM  TIME+    COMMAND
812  adminis+  20  0   1048576  524288  4096  S  12.5  0.0   1:01.28  nginx`;
  assert.equal(await top('text'), `${HEAD}\n${table}`);
  assert.equal(await top('table'), await top('text'));
  const wide = `PID  USER           PR  NI  VIRT     RES     SHR   S  %CPU  %MEM  TIME+    PPID  THR  COMMAND
812  administrator  20  0   1048576  524288  4096  S  12.5  0.0   1:01.28  1     4    nginx: worker process`;
  assert.equal(await top('wide'), `${HEAD}\n${wide}`);
});

test('processes/top: sizes for people, hours, days, several users', async () => {
  const human = await top('text', true);
  assert.match(human, /^MiB Mem : 16000\.0 total, 8583\.1 free, 3814\.7 used, 3602\.2 buff\/cache$/m);
  assert.match(human, /^MiB Swap: 0\.0 total, 0\.0 free, 0\.0 used\. 11444\.1 avail Mem$/m);
  assert.match(human, / {2}1\.0 MiB {2}512\.0 KiB {2}4\.0 KiB {2}S /);
  assert.match(await top('text', false, { ...SUMMARY, uptime: '4:05', users: 12 }), /^top - 21:16:06 up {2}4:05, 12 users, /);
  assert.match(await top('text', false, { ...SUMMARY, uptime: '3 days,  4:05', users: 0 }), / up 3 days, {2}4:05, {2}0 users, /);
});

test('processes/top: json and yaml give data', async () => {
  for (const form of ['json', 'yaml'] as const) {
    assert.equal(await top(form), JSON.stringify({ summary: SUMMARY, processes: [ROW] }, null, 2));
  }
});

function checked(tool: AnyTool, given: object, seconds?: number): Record<string, unknown> {
  return checkArguments(tool, parametersOf(tool), given, seconds);
}

test('processes/top: the snapshot fits into the time of the call', () => {
  const interval = (given: object, seconds?: number) => checked(processesTopTool, given, seconds)['interval_ms'];
  assert.equal(interval({}, 30), 1000);
  assert.equal(interval({ interval_ms: 60_000 }, 30), 29_000);
  assert.equal(interval({ interval_ms: 5000 }, 3), 2000);
  assert.equal(interval({}, 1), 100);
  assert.equal(interval({ interval_ms: 5000 }), 5000);
  assert.throws(
    () => interval({ interval_ms: '5000' }, 30),
    failsWith('argument_type', { name: 'interval_ms', type: 'an integer' }),
  );
});

const SENT = { pid: 812, signal: 'SIGTERM', dry_run: false, comm: 'nginx', owner: 'www-data' } as const;

test('processes/delete: what was done, and what would be', async () => {
  const text = (dry_run: boolean) => textOf(processesDeleteTool.text(outcomeOf({ ...SENT, dry_run }), optionsOf({ pid: 812 })));
  assert.equal(await text(false), 'Successfully sent signal SIGTERM to process 812');
  assert.equal(await text(true), 'Dry run: would send SIGTERM to process 812 (nginx, owner www-data)');
  const json = async (dry_run: boolean): Promise<unknown> => {
    const rendered = processesDeleteTool.json?.(outcomeOf({ ...SENT, dry_run }), optionsOf({ pid: 812 }));
    return JSON.parse(await collect(rendered?.text ?? ''));
  };
  assert.deepEqual(await json(false), { pid: 812, signal: 'SIGTERM', result: 'sent' });
  assert.deepEqual(await json(true), { pid: 812, signal: 'SIGTERM', result: 'sent', dry_run: true });
});

test('processes/delete: signals as they may be written', () => {
  const signal = (written?: unknown) => checked(processesDeleteTool, { pid: 5, signal: written })['signal'];
  assert.deepEqual(['kill', 'SigHup', 'USR1', undefined, '', null].map(signal), [
    'SIGKILL',
    'SIGHUP',
    'SIGUSR1',
    undefined,
    undefined,
    undefined,
  ]);
  assert.throws(() => signal('9'), /^StewardError: invalid signal "9" \(SIGTERM, SIGKILL, SIGHUP, /);
  assert.throws(() => signal(9), failsWith('argument_type', { name: 'signal', type: 'a string' }));
  assert.throws(() => checked(processesDeleteTool, { pid: 0 }), failsWith('argument_min', { name: 'pid', min: 1 }));
  assert.throws(() => checked(processesDeleteTool, {}), failsWith('argument_required', { name: 'pid' }));
  assert.throws(
    () => checked(processesDeleteTool, { pid: 5, drry_run: true }),
    failsWith('argument_unknown', { name: 'drry_run' }),
  );
});

test('the arguments that each tool lists', () => {
  assert.deepEqual(
    PROCESS_TOOLS.map((tool) => parametersOf(tool).map(({ name }) => name)),
    [
      ['user', 'pid', 'sort_by', 'limit', 'human_readable', 'output_format', 'privileged'],
      ['interval_ms', 'sort_by', 'user', 'limit', 'human_readable', 'output_format', 'privileged'],
      ['pid', 'signal', 'output_format', 'privileged', 'dry_run'],
    ],
  );
});
