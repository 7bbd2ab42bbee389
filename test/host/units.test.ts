/** Units and timers of a booted host: real jobs of a real systemd, compared with what systemctl says. */
import assert from 'node:assert/strict';
import { test } from 'node:test';
import { bootedHost } from '../support/host/suite.ts';
import { install, output } from '../support/inside/inside.ts';

const host = bootedHost({
  grants: `  ops:
    tools:
      services/manage: {allowed: true}
      services/list: {allowed: true}
  narrow:
    tools:
      services/manage: {allowed: true, units: ["t-good.service", "t-a*.service"], actions: [start, restart]}
`,
  users: ['ops', 'narrow', 'guest'],
});
const { skip } = host;

const UNITS = {
  't-good.service':
    '[Unit]\nDescription=A good one\n[Service]\nExecStart=/bin/sleep 1000\nExecReload=/bin/true\n[Install]\nWantedBy=multi-user.target\n',
  't-bad.service': '[Service]\nType=oneshot\nExecStart=/bin/false\n',
  't-needs.service': '[Unit]\nRequires=t-bad.service\nAfter=t-bad.service\n[Service]\nExecStart=/bin/sleep 1000\n',
  't-never.service': '[Unit]\nJobTimeoutSec=1\n[Service]\nType=notify\nTimeoutStartSec=20\nExecStart=/bin/sleep 1000\n',
  't-soon.timer': '[Timer]\nOnBootSec=90min\nOnUnitActiveSec=1h\nUnit=t-bad.service\n',
  't-daily.timer': '[Timer]\nOnCalendar=daily\nOnBootSec=1week\nPersistent=yes\nUnit=t-bad.service\n',
  't-ran.timer': '[Timer]\nOnActiveSec=1s\nOnCalendar=2099-01-01 00:00:00\nAccuracySec=1ms\nUnit=t-good.service\n',
};

test('units to work on', { skip }, async () => {
  for (const [name, text] of Object.entries(UNITS)) await install(host, `/etc/systemd/system/${name}`, text);
  await output(host, 'ln', '-s', 't-good.service', '/etc/systemd/system/t-alias.service');
  await output(host, 'ln', '-s', '/usr/lib/systemd/system/steward-frontend.service', '/etc/systemd/system/t-disguise.service');
  await output(host, 'systemctl', 'daemon-reload');
});

async function manage(service: string, action: string, more: Record<string, unknown> = {}, user = 'ops') {
  return (await host.as(user)).call('services/manage', { service, action, privileged: true, ...more });
}

const stateOf = async (unit: string): Promise<string> => (await host.run(['systemctl', 'is-active', unit])).stdout.trim();

test('start, restart, reload, stop', { skip }, async () => {
  for (const [action, state] of [
    ['start', 'active'],
    ['restart', 'active'],
    ['reload', 'active'],
    ['stop', 'inactive'],
  ] as const) {
    const { text, isError } = await manage('t-good', action);
    assert.equal(isError, false, text);
    assert.match(text, /^Job \d+ completed with status: done$/);
    assert.equal(await stateOf('t-good.service'), state);
  }
  const audit = await host.audit();
  assert.match(audit, /"op":"services\/manage".*"object":"t-good.service".*"rule":"units: any/);
});

test('jobs that fail are failures with the words of systemctl', { skip }, async () => {
  const bad = await manage('t-bad', 'start');
  assert.equal(bad.isError, true);
  assert.match(
    bad.text,
    /^Job \d+ completed with status: failed\nJob for t-bad\.service failed because the control process exited/,
  );
  const needs = await manage('t-needs', 'start');
  assert.match(needs.text, /^Job \d+ completed with status: dependency\nA dependency job for t-needs\.service failed\./);
  const never = await manage('t-never', 'start');
  assert.match(never.text, /^Job \d+ completed with status: (timeout|failed|canceled)\n/);
  const gone = await manage('t-gone', 'restart');
  assert.equal(gone.text, 'failed to initiate restart job: Failed to restart t-gone.service: Unit t-gone.service not found.');
  const idle = await manage('t-good', 'reload');
  assert.match(idle.text, /^Job \d+ completed with status: invalid\nt-good\.service is not active, cannot reload\.$/);
});

test('enable and disable count their links', { skip }, async () => {
  const enabled = async (): Promise<string> => (await host.run(['systemctl', 'is-enabled', 't-good.service'])).stdout.trim();
  assert.equal((await manage('t-good', 'enable')).text, 'Enabled t-good.service (install: true, changes: 1)');
  assert.notEqual(await enabled(), 'disabled');
  assert.equal((await manage('t-good', 'enable')).text, 'Enabled t-good.service (install: true, changes: 0)');
  assert.match((await manage('t-good', 'disable')).text, /^Disabled t-good\.service \(changes: [12]\)$/);
  assert.equal(await enabled(), 'disabled');
  assert.equal((await manage('t-bad', 'enable')).text, 'Enabled t-bad.service (install: false, changes: 0)');
  assert.match((await manage('t-gone', 'enable')).text, /^failed to enable unit: Failed to enable unit: /);
  await output(host, 'ln', '-sf', 't-good.service', '/etc/systemd/system/t-alias.service'); // disable took it away too
  await output(host, 'systemctl', 'daemon-reload');
});

test('a dry run says what it would do and does not', { skip }, async () => {
  const { text } = await manage('t-good', 'start', { dry_run: true });
  assert.equal(text, 'Dry run: would start t-good.service (now inactive/dead)');
  assert.equal(await stateOf('t-good.service'), 'inactive');
  const gone = await manage('t-gone', 'start', { dry_run: true });
  assert.equal(gone.text, 'failed to initiate start job: Failed to start t-gone.service: Unit t-gone.service not found.');
});

test('a grant is judged on the unit that an alias stands for', { skip }, async () => {
  const ask = (service: string, action: string) => manage(service, action, { dry_run: true }, 'narrow');
  assert.equal((await ask('t-alias', 'restart')).text, 'Dry run: would restart t-good.service (now inactive/dead)');
  assert.equal(
    (await ask('t-bad', 'start')).text,
    "not authorized to start t-bad.service: the unit is not in this tool's units: list in grants.yaml",
  );
  assert.equal(
    (await ask('t-good', 'stop')).text,
    "not authorized to stop t-good.service: the action is not in this tool's actions: list in grants.yaml",
  );
  const audit = await host.audit();
  assert.match(audit, /"kind":"refusal".*"code":"RESTRICTED".*not authorized to start t-bad\.service/);
});

test("steward's own units are refused, under any name, as root and not", { skip }, async () => {
  const [ops, asked] = [
    await host.as('ops'),
    ['steward-frontend', 'steward-broker.socket', 'steward-broker@0-1-2.service', 't-disguise'],
  ];
  for (const service of asked) {
    for (const privileged of [true, false]) {
      const { text, isError } = await ops.call('services/manage', { service, action: 'stop', privileged });
      assert.equal(isError, true, service);
      assert.match(text, /^refusing to control steward's own unit: steward-/, service);
    }
  }
  assert.equal(await stateOf('steward-frontend.service'), 'active');
});

test('nobody without a grant, and systemd itself refuses the unprivileged with a hint', { skip }, async () => {
  const refused = await manage('t-good', 'start', {}, 'guest');
  assert.match(refused.text, /^Permission denied: user guest is not authorized to use privileged: true for services\/manage/);
  const hint = ' (services/manage is granted to you as root in grants.yaml: retry with privileged: true)';
  const denied = await manage('t-good', 'start', { privileged: false });
  assert.match(denied.text, /^failed to initiate start job: Failed to start t-good\.service: Access denied/);
  assert.ok(denied.text.endsWith(hint), denied.text);
  const guest = await manage('t-good', 'enable', { privileged: false }, 'guest');
  assert.equal(guest.text, 'failed to enable unit: Failed to enable unit: Access denied');
  assert.equal(await stateOf('t-good.service'), 'inactive');
});

test('no text becomes an option', { skip }, async () => {
  for (const service of [
    '-H',
    '--version',
    'a b.service',
    '*.service',
    '@.service',
    '$(id)',
    'a\nb',
    `${'a'.repeat(250)}.service`,
  ]) {
    for (const privileged of [true, false]) {
      const { text, code } = await manage(service, 'start', { privileged });
      assert.equal(text, `invalid unit name "${service}"`);
      assert.equal(code, 'BAD_ARGS');
    }
  }
  assert.equal((await manage('t-good', 'kill')).text, 'unsupported action: kill (start, stop, restart, reload, enable, disable)');
});

interface Service {
  readonly [key: string]: string;
}

test('services are those that systemctl lists', { skip }, async () => {
  for (const [user, privileged] of [
    ['guest', false],
    ['ops', true],
  ] as const) {
    const { text } = await (await host.as(user)).call('services/list', { output_format: 'json', privileged });
    const listed = JSON.parse(text) as Service[];
    const line = (service: Service): string =>
      [service['name'], service['load_state'], service['active_state'], service['sub_state']].join(' ');
    const units = await output(
      host,
      'systemctl',
      'list-units',
      '--all',
      '--type=service',
      '--plain',
      '--no-legend',
      '--no-pager',
    );
    const truth = units.split('\n').map((row) => row.trim().split(/\s+/).slice(0, 4).join(' '));
    // Units come and go while nobody uses them.
    const seen = new Set(listed.map(line));
    for (const row of truth) assert.ok(seen.has(row) || /systemd-(hostnamed|timedated|localed)/.test(row), row);
    assert.ok(listed.length - truth.length <= 3, `${listed.length} ${truth.length}`);
  }
  const failed = await (await host.as('guest')).call('services/list', { active_state: 'failed', pattern: 't-*' });
  assert.match(failed.text, /^\[failed\] t-bad\.service\n {2}State: failed \(failed\) \| Load: loaded\n {2}Desc: /);
  const none = await (await host.as('guest')).call('services/list', { pattern: 'nothing' });
  assert.equal(none.text, 'No services found matching the criteria.');
});

interface Timer {
  readonly name: string;
  readonly next_run: string;
  readonly last_run: string;
  readonly schedule: readonly string[];
  readonly unit: string;
  readonly persistent: boolean;
}

test('timers run when systemctl says', { skip }, async () => {
  await output(host, 'systemctl', 'start', 't-soon.timer', 't-daily.timer', 't-ran.timer');
  await new Promise((done) => setTimeout(done, 2000));
  const { text } = await (await host.as('guest')).call('timers/list', { output_format: 'json' });
  const timers = new Map((JSON.parse(text) as Timer[]).map((timer) => [timer.name, timer]));
  const truth = JSON.parse(await output(host, 'systemctl', 'list-timers', '--all', '--output=json')) as {
    unit: string;
    next: number | null;
    last: number | null;
  }[];
  assert.deepEqual([...timers.keys()].sort(), truth.map(({ unit }) => unit).sort());
  for (const { unit, next, last } of truth) {
    const timer = timers.get(unit) ?? assert.fail(unit);
    for (const [said, microseconds] of [
      [timer.next_run, next],
      [timer.last_run, last],
    ] as const) {
      if (microseconds === null || microseconds === 0) assert.equal(said, 'never', unit);
      else assert.ok(Math.abs(Date.parse(said) - microseconds / 1000) <= 1500, `${unit}: ${said}, ${microseconds}`);
    }
  }
  assert.deepEqual(timers.get('t-daily.timer')?.schedule, ['OnCalendar=*-*-* 00:00:00', 'OnBootSec=1w']);
  assert.deepEqual([timers.get('t-daily.timer')?.unit, timers.get('t-daily.timer')?.persistent], ['t-bad.service', true]);
  assert.notEqual(timers.get('t-ran.timer')?.last_run, 'never');
});

test('the status of a unit as a resource', { skip }, async () => {
  const read = async (uri: string) => (await host.as('guest')).rpc('resources/read', { uri });
  const answer = await read('service://t-good/status');
  const [content] = answer.result?.['contents'] as { text: string }[];
  assert.deepEqual(JSON.parse(content?.text ?? ''), {
    name: 't-good.service',
    description: 'A good one',
    load_state: 'loaded',
    active_state: await stateOf('t-good.service'),
    sub_state: await output(host, 'systemctl', 'show', '--property=SubState', '--value', 't-good.service'),
    fragment_path: '/etc/systemd/system/t-good.service',
  });
  assert.equal((await read('service://t-gone/status')).error?.message, 'service not found: t-gone');
  assert.equal((await read('service://--help/status')).error?.message, 'service not found: --help');
});
