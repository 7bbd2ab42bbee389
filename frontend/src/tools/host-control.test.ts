/** Proves the words of the tools on services, timers, the journal and crontabs. */
import assert from 'node:assert/strict';
import { test } from 'node:test';
import { StewardError } from '@steward/shared/errors.ts';
import type { CronResult } from '@steward/shared/ops/cron/manage-schema.ts';
import type { ManageResult } from '@steward/shared/ops/services/manage.ts';
import type { TimerRecord } from '@steward/shared/ops/timers/list.ts';
import { failsWith } from '@steward/shared/testing/context.ts';
import { encodeJson } from '../rpc/json-stream.ts';
import { collect, optionsOf, outcomeOf, textOf } from '../testing/outcome.ts';
import { cronManageTool } from './cron/manage.ts';
import { journalControlTool } from './logs/journal-control.ts';
import { servicesListTool } from './services/list.ts';
import { servicesManageTool } from './services/manage.ts';
import { structuredNode } from './structured.ts';
import type { Rendered } from './tool.ts';
import { timersListTool } from './timers/list.ts';

const MANAGED: ManageResult = {
  action: 'restart',
  unit: 'nginx.service',
  dry_run: false,
  active_state: 'active',
  sub_state: 'running',
};
const manageText = (result: Partial<ManageResult>) =>
  textOf(servicesManageTool.text(outcomeOf({ ...MANAGED, ...result }), optionsOf({ service: 'nginx', action: 'restart' })));

test('services/manage', async () => {
  assert.equal(await manageText({ job: 1234, status: 'done' }), 'Job 1234 completed with status: done');
  assert.equal(await manageText({ status: 'done' }), 'Job completed with status: done');
  const enabled = await manageText({ action: 'enable', install: true, changes: 1 });
  assert.equal(enabled, 'Enabled nginx.service (install: true, changes: 1)');
  assert.equal(await manageText({ action: 'disable', install: true, changes: 1 }), 'Disabled nginx.service (changes: 1)');
  assert.equal(await manageText({ dry_run: true }), 'Dry run: would restart nginx.service (now active/running)');
});

test('services/manage names the actions itself', () => {
  const prepare = servicesManageTool.prepare ?? assert.fail();
  assert.throws(() => prepare({ service: 'a', action: 'kill' }), {
    message: 'unsupported action: kill (start, stop, restart, reload, enable, disable)',
  });
  for (const action of ['stop', '', 7, undefined]) assert.deepEqual(prepare({ action }), { action });
});

test('services/list', async () => {
  const ssh = {
    active_state: 'active',
    sub_state: 'running',
    load_state: 'loaded',
    name: 'ssh.service',
    description: 'A\u001b[1m',
  };
  const text = await textOf(servicesListTool.text(outcomeOf({}, [ssh, { ...ssh, name: 'b.service' }]), optionsOf({})));
  const block = '  State: running (active) | Load: loaded\n  Desc: A\\x1b[1m';
  assert.equal(text, `[active] ssh.service\n${block}\n[active] b.service\n${block}`);
  const none = await textOf(servicesListTool.text(outcomeOf({}), optionsOf({})));
  assert.equal(none, 'No services found matching the criteria.');
});

const TIMER: TimerRecord = {
  name: 'logrotate.timer',
  description: 'Daily rotation of log files',
  load_state: 'loaded',
  active_state: 'active',
  sub_state: 'waiting',
  unit: 'logrotate.service',
  next_run: '2026-11-21T00:00:00Z',
  last_run: 'never',
  schedule: ['OnCalendar=*-*-* 00:00:00', 'OnBootSec=15min'],
  persistent: true,
  result: 'success',
};

test('timers/list', async () => {
  assert.equal(
    await textOf(timersListTool.text(outcomeOf({}, [TIMER]), optionsOf({}))),
    `[active] logrotate.timer
  Next: 2026-11-21T00:00:00Z | Last: never | Runs: logrotate.service
  Schedule: OnCalendar=*-*-* 00:00:00; OnBootSec=15min
  Desc: Daily rotation of log files`,
  );
  const gone = { ...TIMER, unit: '', schedule: [] };
  assert.match(await textOf(timersListTool.text(outcomeOf({}, [gone]), optionsOf({}))), /Runs: -\n {2}Schedule: -\n/);
  assert.equal(await textOf(timersListTool.text(outcomeOf({}), optionsOf({}))), 'No timers found matching the criteria.');
});

async function journal(lines: string, truncated = false) {
  const bytes = Buffer.from(lines);
  const outcome = outcomeOf({ truncated, bytes: bytes.length }, [], [bytes]);
  const json = journalControlTool.json ?? assert.fail();
  return [
    await textOf(journalControlTool.text(outcome, optionsOf({}))),
    await textOf(json(outcome, optionsOf({}, { form: 'json' }))),
  ];
}

test('logs/journal-control', async () => {
  assert.deepEqual(await journal('a\nb'), ['a\nb', 'a\nb']);
  assert.deepEqual(await journal(''), ['No journal entries match.', '']);
  const warning = '[WARNING: Output truncated to the newest 4 MiB]';
  assert.deepEqual(await journal('a', true), [`${warning}\na`, '{"truncated":true}\na']);
});

test('logs/journal-control as data: the lines are the items of one object', async () => {
  const data = async (lines: string, truncated = false): Promise<unknown> => {
    const outcome = outcomeOf(
      { truncated, bytes: lines.length },
      [],
      [Buffer.from(lines.slice(0, 5)), Buffer.from(lines.slice(5))],
    );
    const rendered = (): Rendered => journalControlTool.json?.(outcome, optionsOf({}, { form: 'json' })) ?? assert.fail();
    const node = structuredNode(rendered(), rendered);
    const text = encodeJson(node ?? assert.fail());
    return JSON.parse(typeof text === 'string' ? text : await collect(text));
  };
  assert.deepEqual(await data('{"a":"1\\n"}\n{"b":"2"}'), { items: [{ a: '1\n' }, { b: '2' }] });
  assert.deepEqual(await data('{"a":"1"}', true), { items: [{ a: '1' }], truncated: true });
  assert.deepEqual(await data(''), { items: [] });
  const text = journalControlTool.text(outcomeOf({ truncated: false, bytes: 1 }, [], [Buffer.from('a')]), optionsOf({}));
  assert.equal(
    structuredNode(text, () => text),
    undefined,
  );
});

const FACTS = { user: 'alice', exists: true, lines: 3, jobs: 2, bytes: 4, sha256: 'aa', accounts: [] };
const WRITTEN: CronResult = { action: 'write', ...FACTS, previous_lines: 2, previous_sha256: 'bb', dry_run: false };

async function cron(result: CronResult, content = '') {
  const outcome = outcomeOf(result, [], [Buffer.from(content)]);
  const json = cronManageTool.json ?? assert.fail();
  const document = await collect(json(outcome, optionsOf({}, { form: 'json' })).text);
  return { text: await textOf(cronManageTool.text(outcome, optionsOf({}))), json: JSON.parse(document) as unknown };
}

test('cron/manage', async () => {
  const { accounts: _none, ...facts } = FACTS;
  const read = await cron({ action: 'read', ...FACTS }, 'A=1\n');
  assert.deepEqual(read, { text: 'A=1\n', json: { ...facts, content: 'A=1\n' } });
  const written = await cron(WRITTEN);
  assert.equal(written.text, 'Crontab of alice replaced: 3 lines, sha256 aa (was bb)');
  assert.deepEqual(written.json, { user: 'alice', lines: 3, jobs: 2, sha256: 'aa', previous_sha256: 'bb' });
  const dry = await cron({ ...WRITTEN, dry_run: true });
  assert.equal(dry.text, 'Dry run: crontab of alice would change from 2 to 3 lines, sha256 bb -> aa');
  assert.equal((dry.json as { dry_run?: boolean }).dry_run, true);
});

test('cron/manage lists accounts', async () => {
  const list: CronResult = { action: 'list', user: '', exists: false, lines: 0, jobs: 0, bytes: 0, sha256: '', accounts: [] };
  assert.deepEqual(await cron(list), { text: 'No crontabs found for the accounts you may view.', json: [] });
  const accounts = [{ user: 'alice', lines: 2, modified: '2026-11-20T14:57:22Z' }];
  const { text, json } = await cron({ ...list, accounts });
  assert.equal(text, 'USER   LINES  MODIFIED\nalice  2      2026-11-20T14:57:22Z');
  assert.deepEqual(json, accounts);
});

test('cron/manage judges content before it leaves', () => {
  const prepare = cronManageTool.prepare ?? assert.fail();
  for (const content of [7, ['a'], { a: 1 }]) assert.throws(() => prepare({ content }), failsWith('crontab_type'));
  assert.throws(() => prepare({ content: 'a\0' }), { message: 'content must not contain NUL bytes' });
  assert.throws(() => prepare({ content: 'ä'.repeat(32_769) }), new StewardError('crontab_size', { size: 65_538 }));
  assert.deepEqual(prepare({ content: '', user: 'a' }), { content: '', user: 'a' });
  assert.equal(cronManageTool.changes?.({ content: '' }), true);
  assert.equal(cronManageTool.changes({ content: '', dry_run: true }), false);
  assert.equal(cronManageTool.changes({ user: 'a' }), false);
});
