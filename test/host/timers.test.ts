/** timers/list on a booted host: next and last run of calendar and monotonic timers, compared with systemctl list-timers. */
import assert from 'node:assert/strict';
import { test } from 'node:test';
import { bootedHost } from '../support/host/suite.ts';
import { type Inside, install, output } from '../support/inside/inside.ts';
import { eventually } from '../support/pair.ts';

const host = bootedHost({ users: ['guest'], grants: '', prepare });
const { skip } = host;
/** Times are turned from one clock into the other at slightly different moments. */
const TOLERANCE_MS = 2000;

interface Timer {
  readonly name: string;
  readonly description: string;
  readonly active_state: string;
  readonly unit: string;
  readonly next_run: string;
  readonly last_run: string;
  readonly schedule: readonly string[];
  readonly persistent: boolean;
  readonly result: string;
}

async function prepare(inside: Inside): Promise<void> {
  const files: Readonly<Record<string, string>> = {
    'job.service': '[Service]\nType=oneshot\nExecStart=/bin/true\n',
    'nightly.timer': '[Unit]\nDescription=Every night\n[Timer]\nOnCalendar=*-*-* 03:30:00\nPersistent=true\nUnit=job.service\n',
    'soon.timer': '[Timer]\nOnActiveSec=1s\nOnUnitActiveSec=1h\nAccuracySec=100ms\nUnit=job.service\n',
    'both.timer': '[Timer]\nOnCalendar=2099-01-01 00:00:00\nOnBootSec=2h\nUnit=job.service\n',
  };
  for (const [name, content] of Object.entries(files)) await install(inside, `/etc/systemd/system/${name}`, content);
  await output(inside, 'systemctl', 'daemon-reload');
  await output(inside, 'systemctl', 'start', 'nightly.timer', 'soon.timer', 'both.timer');
}

async function timers(args: object = {}): Promise<Timer[]> {
  const { text } = await (await host.as('guest')).call('timers/list', { output_format: 'json', ...args });
  return JSON.parse(text) as Timer[];
}

async function timer(name: string): Promise<Timer> {
  const [found] = await timers({ pattern: name });
  assert.ok(found !== undefined, name);
  return found;
}

test('every loaded timer with next and last run, as systemctl has them', { skip }, async () => {
  await eventually(async () => (await timer('soon.timer')).last_run !== 'never');
  const expected = JSON.parse(await output(host, 'systemctl', 'list-timers', '--all', '--output=json')) as {
    unit: string;
    next: number | null;
    last: number | null;
    activates: string;
  }[];
  const listed = new Map((await timers()).map((one) => [one.name, one]));
  assert.ok(expected.length >= 5, String(expected.length));
  for (const { unit, next, last, activates } of expected) {
    const one = listed.get(unit);
    assert.ok(one !== undefined, unit);
    assert.equal(one.unit, activates);
    closeTo(one.next_run, next, `${unit} next`);
    closeTo(one.last_run, last, `${unit} last`);
  }
});

/** `micros`: since 1970, 0 or null for never. */
function closeTo(time: string, micros: number | null, what: string): void {
  if (micros === null || micros === 0) return assert.equal(time, 'never', what);
  assert.match(time, /^\d{4}-\d\d-\d\dT\d\d:\d\d:\d\d(\.\d+)?Z$/, what);
  const distance = Math.abs(Date.parse(time) - micros / 1000);
  assert.ok(distance < TOLERANCE_MS, `${what}: ${time} is ${distance} ms away`);
}

test('a calendar timer: its schedule and what it starts', { skip }, async () => {
  const { next_run, ...rest } = await timer('nightly.timer');
  assert.match(next_run, /T03:30:00Z$/);
  assert.deepEqual(rest, {
    name: 'nightly.timer',
    description: 'Every night',
    load_state: 'loaded',
    active_state: 'active',
    sub_state: 'waiting',
    unit: 'job.service',
    last_run: 'never',
    schedule: ['OnCalendar=*-*-* 03:30:00'],
    persistent: true,
    result: 'success',
  });
});

test('of two elapses the earlier is next', { skip }, async () => {
  const { next_run, schedule } = await timer('both.timer');
  assert.ok(Date.parse(next_run) < Date.parse('2099-01-01'), next_run);
  assert.deepEqual([...schedule].sort(), ['OnBootSec=2h', 'OnCalendar=2099-01-01 00:00:00']);
});

test('text blocks, filters, none', { skip }, async () => {
  const guest = await host.as('guest');
  const { text } = await guest.call('timers/list', { pattern: 'night*', active_state: 'active' });
  assert.match(
    text,
    /^\[active\] nightly\.timer\n {2}Next: \d{4}-\d\d-\d\dT03:30:00Z \| Last: never \| Runs: job\.service\n {2}Schedule: OnCalendar=\*-\*-\* 03:30:00\n {2}Desc: Every night$/,
  );
  assert.equal((await guest.call('timers/list', { pattern: 'x*' })).text, 'No timers found matching the criteria.');
});
