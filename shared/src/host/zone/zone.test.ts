/** Proves the reading of time zones: built files of all versions, rules, wrong files, and date(1) as the judge. */
import assert from 'node:assert/strict';
import { existsSync, mkdirSync, readFileSync, symlinkSync, writeFileSync } from 'node:fs';
import { dirname, join } from 'node:path';
import { test } from 'node:test';
import { systemTimezone } from '../../ops/system/timezone.ts';
import { testContext, withTree } from '../../testing/context.ts';
import { without } from '../../testing/programs.ts';
import { misfit } from '../../testing/schema.ts';
import { printed } from '../../testing/truth.ts';
import { random } from '../../testing/tree.ts';
import { zoneFile } from '../../testing/tzif.ts';
import { localTypeByRule, parsePosixRule } from './posix-rule.ts';
import { readTimezone } from './timezone.ts';
import { localTypeAt, parseTzif } from './tzif.ts';

const at = (text: string): number => Date.parse(text) / 1000;

function seen(file: Buffer, time: string): string {
  const zone = parseTzif(file);
  assert.ok(zone !== undefined);
  const { abbreviation, offset, isDst } = localTypeAt(zone, at(time));
  return `${abbreviation} ${String(offset)}${isDst ? ' dst' : ''}`;
}

const HALF_HOURS = {
  types: [
    [19_800, false, '+0530'],
    [23_400, true, '+0630'],
    [20_700, false, '+0545'],
  ],
  // Two years between the changes, so that a year without any is asked for.
  changes: [
    [at('2000-04-01T00:00:00Z'), 1],
    [at('2002-04-01T00:00:00Z'), 2],
    [at('2004-04-01T00:00:00Z'), 0],
  ],
} as const;

test('changes at half and quarter hours with gaps of two years, in every version', () => {
  for (const version of [1, 2, 3] as const) {
    const file = zoneFile({ version, ...HALF_HOURS, leaps: 27 });
    assert.equal(seen(file, '1999-01-01T00:00:00Z'), '+0530 19800');
    assert.equal(seen(file, '2000-03-31T23:59:59Z'), '+0530 19800');
    assert.equal(seen(file, '2000-04-01T00:00:00Z'), '+0630 23400 dst');
    assert.equal(seen(file, '2001-07-01T00:00:00Z'), '+0630 23400 dst');
    assert.equal(seen(file, '2003-07-01T00:00:00Z'), '+0545 20700');
    assert.equal(seen(file, '2026-07-01T00:00:00Z'), '+0530 19800', 'without a rule the last one holds for ever');
  }
});

test('behind the table the rule holds', () => {
  const file = zoneFile({ version: 2, ...HALF_HOURS, rule: 'CET-1CEST,M3.5.0,M10.5.0/3' });
  assert.equal(seen(file, '2003-07-01T00:00:00Z'), '+0545 20700');
  assert.equal(seen(file, '2026-07-01T00:00:00Z'), 'CEST 7200 dst');
  assert.equal(seen(file, '2026-10-25T00:59:59Z'), 'CEST 7200 dst');
  assert.equal(seen(file, '2026-10-25T01:00:00Z'), 'CET 3600');
  const ruleOnly = zoneFile({ version: 2, types: [[0, false, 'X']], changes: [], rule: '<+0330>-3:30' });
  assert.equal(seen(ruleOnly, '2026-01-01T00:00:00Z'), '+0330 12600');
});

function byRule(text: string, time: string): string {
  const rule = parsePosixRule(text);
  assert.ok(rule !== undefined, text);
  const { abbreviation, offset } = localTypeByRule(rule, at(time));
  return `${abbreviation} ${String(offset)}`;
}

test('rules of every form', () => {
  assert.equal(byRule('UTC0', '2026-01-01T00:00:00Z'), 'UTC 0');
  assert.equal(byRule('EST5EDT', '2026-03-08T06:59:59Z'), 'EST -18000');
  assert.equal(byRule('EST5EDT', '2026-03-08T07:00:00Z'), 'EDT -14400');
  assert.equal(byRule('EST5EDT,0/0,J365/25', '2026-01-01T05:00:00Z'), 'EDT -14400', 'summer time all year long');
  assert.equal(byRule('EST5EDT,0/0,J365/25', '2026-12-31T23:00:00Z'), 'EDT -14400');
  assert.equal(byRule('<-03>3<-02>,M3.5.0/-2,M10.5.0/-1', '2026-03-29T00:59:59Z'), '-03 -10800');
  assert.equal(byRule('<-03>3<-02>,M3.5.0/-2,M10.5.0/-1', '2026-03-29T01:00:00Z'), '-02 -7200');
  assert.equal(byRule('IST-1GMT0,M10.5.0,M3.5.0/1', '2026-01-01T00:00:00Z'), 'GMT 0', 'a summer time in winter');
  assert.equal(byRule('<+1030>-10:30<+11>-11,M10.1.0,M4.1.0', '2026-01-01T00:00:00Z'), '+11 39600');
  assert.equal(byRule('AAA0BBB,J60,J300', '2024-03-01T02:00:00Z'), 'BBB 3600', '29 February is not counted');
  assert.equal(byRule('AAA0BBB,J60,J300', '2024-03-01T01:59:59Z'), 'AAA 0');
  assert.equal(byRule('AAA0BBB,59,300', '2024-02-29T02:00:00Z'), 'BBB 3600', '29 February is counted');
});

test('rules that are none', () => {
  for (const text of ['', 'C1', 'CET', 'CET-1CEST,M3.5.0', 'CET-1CEST,M13.5.0,M10.5.0', 'CET-1CEST,M3.6.0,M10.5.0', 'A-1,,']) {
    assert.equal(parsePosixRule(text), undefined, text);
  }
  assert.equal(parsePosixRule('AAA0BBB,J0,J300'), undefined);
  assert.equal(parsePosixRule('AAA0BBB,366,300'), undefined);
});

test('files that are cut or wrong are none', () => {
  const file = zoneFile({ version: 2, ...HALF_HOURS, rule: 'UTC0' });
  for (let length = 0; length < file.length; length++)
    assert.equal(parseTzif(file.subarray(0, length)), undefined, String(length));
  const next = random(2);
  for (let round = 0; round < 2000; round++) {
    const wrong = Buffer.from(file);
    for (let change = 0; change < 4; change++) wrong[Math.floor(next() * wrong.length)] = Math.floor(next() * 256);
    const zone = parseTzif(wrong);
    if (zone !== undefined) assert.equal(typeof localTypeAt(zone, at('2026-01-01T00:00:00Z')).abbreviation, 'string');
  }
});

const NEPAL = zoneFile({ version: 2, types: [[20_700, false, '+0545']], changes: [], rule: '<+0545>-5:45' });
const NOW = at('2026-11-20T11:33:02Z');

function put(root: string, path: string, content: Buffer): void {
  mkdirSync(dirname(join(root, path)), { recursive: true });
  writeFileSync(join(root, path), content);
}

test('which zone the host keeps', async () => {
  const nepal = { name: 'Asia/Kathmandu', abbreviation: '+0545', offset: 20_700 };
  await withTree({ 'etc/timezone': 'Asia/Kathmandu\n' }, async (root) => {
    put(root, 'usr/share/zoneinfo/Asia/Kathmandu', NEPAL);
    assert.deepEqual(await readTimezone(root, NOW), nepal);
  });
  await withTree({ 'etc/keep': '' }, async (root) => {
    symlinkSync('../usr/share/zoneinfo/Asia/Kathmandu', join(root, 'etc/localtime'));
    put(root, 'usr/share/zoneinfo/Asia/Kathmandu', NEPAL);
    assert.deepEqual(await readTimezone(root, NOW), nepal);
    const told = await systemTimezone.run({}, testContext({ root }));
    assert.equal(misfit(systemTimezone.result, told), undefined);
    assert.ok(Math.abs(told.now - Date.now() / 1000) < 5);
  });
  await withTree({ 'etc/timezone': 'Asia/Kathmandu' }, async (root) => {
    put(root, 'etc/localtime', NEPAL);
    assert.deepEqual(await readTimezone(root, NOW), nepal, 'no zone database, but a copy of the zone');
  });
});

test('without a zone it is UTC; a name leads to no other place', async () => {
  await withTree({}, async (root) => {
    assert.deepEqual(await readTimezone(root, NOW), { name: 'UTC', abbreviation: 'UTC', offset: 0 });
  });
  for (const name of ['../../../etc/passwd', '/etc/passwd', 'a//b', 'a/../b', '.hidden', 'x y']) {
    await withTree({ 'etc/timezone': name }, async (root) => assert.equal((await readTimezone(root, NOW)).name, 'UTC', name));
  }
  await withTree({ 'etc/timezone': 'Mars/Base\n' }, async (root) => {
    assert.deepEqual(await readTimezone(root, NOW), { name: 'Mars/Base', abbreviation: 'UTC', offset: 0 });
  });
});

const DATABASE = '/usr/share/zoneinfo';
const ZONES = [
  ...[
    'Europe/Berlin',
    'Europe/Dublin',
    'America/New_York',
    'America/St_Johns',
    'America/Sao_Paulo',
    'America/Nuuk',
    'Asia/Tehran',
  ],
  ...[
    'Asia/Kolkata',
    'Asia/Kathmandu',
    'Asia/Gaza',
    'Africa/Casablanca',
    'Africa/Cairo',
    'Africa/Monrovia',
    'Australia/Lord_Howe',
  ],
  ...['Australia/Adelaide', 'Pacific/Chatham', 'Pacific/Apia', 'Antarctica/Troll', 'Asia/Pyongyang', 'Etc/GMT+12', 'UTC'],
];

test('as date tells them, from 1900 to 2100', { skip: without('date') || (!existsSync(DATABASE) && 'no zone database') }, () => {
  const next = random(3);
  const times = Array.from({ length: 300 }, () => Math.floor(at('1900-01-01T00:00:00Z') + next() * 200 * 365.25 * 86_400));
  const input = times.map((time) => `@${String(time)}`).join('\n');
  for (const name of ZONES.filter((zone) => existsSync(join(DATABASE, zone)))) {
    const zone = parseTzif(readFileSync(join(DATABASE, name)));
    assert.ok(zone !== undefined, name);
    const theirs = printed('date', ['-f', '-', '+%s %Z %::z'], { input, env: { TZ: name } });
    const ours = times.map((time) => {
      const { abbreviation, offset } = localTypeAt(zone, time);
      const [hours, minutes, seconds] = [offset / 3600, (offset / 60) % 60, offset % 60].map((value) =>
        String(Math.floor(Math.abs(value))).padStart(2, '0'),
      ) as [string, string, string];
      // date writes the offset of a local time that nobody knows, called -00, with a minus as well.
      const sign = offset < 0 || abbreviation === '-00' ? '-' : '+';
      return `${String(time)} ${abbreviation} ${sign}${hours}:${minutes}:${seconds}\n`;
    });
    assert.equal(ours.join(''), theirs, name);
  }
});

test('the zone of this host as date tells it', { skip: without('date') }, async () => {
  const { abbreviation } = await readTimezone('/', NOW);
  const env = { ...process.env };
  delete env['TZ'];
  const { execFileSync } = await import('node:child_process');
  assert.equal(execFileSync('date', ['-d', `@${String(NOW)}`, '+%Z'], { encoding: 'utf8', env }).trim(), abbreviation);
});
