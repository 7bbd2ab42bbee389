/** Proves how sessions are found in login records of both sizes, with last and lastb as judges. */
import assert from 'node:assert/strict';
import { writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { test } from 'node:test';
import { boot, fileOf, login, logout, runLevel, shutdown, type GivenRecord } from '../../testing/login-records.ts';
import { without } from '../../testing/programs.ts';
import { random, withDirectory } from '../../testing/tree.ts';
import { printed } from '../../testing/truth.ts';
import type { Login } from './login.ts';
import { layoutFor, recordsBackwards } from './records.ts';
import { failedLogins, sessionsOf } from './sessions.ts';

const NARROW = layoutFor('x64');
const WIDE = layoutFor('arm64');
const T = Date.parse('2026-11-20T08:00:00Z') / 1000;
const KERNEL = '6.1.0-18-amd64';

/** Two boots: one that crashed, one that was shut down, and a third that runs. */
const HISTORY: readonly GivenRecord[] = [
  boot(KERNEL, T),
  runLevel('5', KERNEL, T + 5),
  login('tty1', 'root', '', T + 60),
  login('pts/0', 'alice', '192.0.2.7', T + 100),
  logout('pts/0', T + 1780),
  login('pts/0', 'bob', '2001:db8::1', T + 2000),
  // crash: no record of it
  boot(KERNEL, T + 10_000),
  login('pts/0', 'alice', 'host.example', T + 10_100),
  login('pts/1', 'bob', '', T + 10_200),
  login('pts/1', 'carol', '', T + 10_300),
  shutdown(KERNEL, T + 100_000),
  boot(KERNEL, T + 200_000),
  { type: 6, pid: 1, line: 'tty1', user: 'LOGIN', time: T + 200_010 },
  login('tty1', 'root', '', T + 200_100),
  login('tty1', '', '', T + 200_200),
  login('pts/3', 'alice', '192.0.2.7', T + 200_300),
];

const SHORT = ['user', 'tty', 'login', 'logout', 'state'] as const;

async function sessions(records: readonly GivenRecord[], layout = NARROW): Promise<Login[]> {
  return withDirectory((directory) => {
    const file = join(directory, 'wtmp');
    writeFileSync(file, fileOf(records, layout.bytes));
    return [...sessionsOf(recordsBackwards(file, layout))];
  });
}

test('logins and boots, newest first, in both sizes of records', async () => {
  for (const layout of [NARROW, WIDE]) {
    const found = await sessions(HISTORY, layout);
    assert.deepEqual(
      found.map((one) => SHORT.map((name) => one[name])),
      [
        ['alice', 'pts/3', T + 200_300, undefined, 'open'],
        ['root', 'tty1', T + 200_100, T + 200_200, 'closed'],
        ['reboot', 'system boot', T + 200_000, undefined, 'boot'],
        ['carol', 'pts/1', T + 10_300, T + 100_000, 'down'],
        ['bob', 'pts/1', T + 10_200, T + 10_300, 'closed'],
        ['alice', 'pts/0', T + 10_100, T + 100_000, 'down'],
        ['reboot', 'system boot', T + 10_000, T + 100_000, 'boot'],
        ['bob', 'pts/0', T + 2000, undefined, 'crash'],
        ['alice', 'pts/0', T + 100, T + 1780, 'closed'],
        ['root', 'tty1', T + 60, undefined, 'crash'],
        ['reboot', 'system boot', T, undefined, 'boot'],
      ],
    );
    assert.deepEqual([found[0]?.host, found[2]?.host], ['192.0.2.7', KERNEL]);
  }
});

test('halt as a runlevel ends sessions too', async () => {
  const found = await sessions([login('pts/0', 'alice', '', T), runLevel('6', KERNEL, T + 60), boot(KERNEL, T + 90)]);
  assert.deepEqual(
    found.map(({ state, logout: end }) => [state, end]),
    [
      ['boot', undefined],
      ['down', T + 60],
    ],
  );
});

test('records that fill their fields, and what is no whole record', async () => {
  await withDirectory((directory) => {
    const file = join(directory, 'wtmp');
    const long = { type: 7, line: 'l'.repeat(32), user: 'u'.repeat(32), host: 'h'.repeat(256), time: 0xffff_ffff };
    writeFileSync(file, Buffer.concat([fileOf([long]), Buffer.alloc(100, 7)]));
    const [only, ...others] = recordsBackwards(file, NARROW);
    assert.deepEqual(others, []);
    assert.deepEqual(only, { ...long, pid: 0 });
  });
});

test('more records than a block holds', async () => {
  const records = Array.from({ length: 1000 }, (_, index) => login(`pts/${String(index)}`, 'u', '', T + index));
  const found = await sessions(records);
  assert.deepEqual(
    found.map((one) => one.login),
    records.map(({ time }) => time).reverse(),
  );
});

test('bytes at random never make the reader fail', async () => {
  const next = random(4);
  await withDirectory((directory) => {
    const file = join(directory, 'wtmp');
    const bytes = Buffer.from(Array.from({ length: 400 * 384 }, () => Math.floor(next() * 256)));
    for (let record = 0; record < 400; record++) bytes.writeInt16LE(Math.floor(next() * 10), record * 384);
    writeFileSync(file, bytes);
    for (const layout of [NARROW, WIDE]) for (const one of sessionsOf(recordsBackwards(file, layout))) assert.ok(one.state);
  });
});

/** Lines of last(1) with whole times: name, terminal, host, beginning, end. */
function theirs(program: string, file: string): string[] {
  const lines = printed(program, ['-F', '-w', '-f', file]).split('\n');
  return lines.filter((line) => line !== '' && !/^\S+ begins /.test(line)).map((line) => line.replace(/\s+/g, ' ').trimEnd());
}

function lastTime(seconds: number): string {
  const [weekday, day, month, year, time] = new Date(seconds * 1000).toUTCString().replace(',', '').split(' ');
  return `${weekday ?? ''} ${month ?? ''} ${String(Number(day))} ${time ?? ''} ${year ?? ''}`;
}

/** What last says of the end. It tells no difference between a running boot and the others, and knows who is gone. */
function endings({ state, logout: end }: Login): RegExp {
  if (state === 'open') return / (?:still logged in|gone - no logout)$/;
  if (state === 'down') return / - down \(.*\)$/;
  if (state === 'crash') return / - crash \(.*\)$/;
  return end === undefined ? /./ : new RegExp(`${state === 'failed' ? '' : ` - ${lastTime(end)} \\(.*\\)`}$`);
}

test('as last tells it', { skip: without('last') || (process.arch === 'arm64' && 'records of 384 bytes') }, async () => {
  const next = random(5);
  const pick = <V>(values: readonly V[]): V => values[Math.floor(next() * values.length)] as V;
  for (let round = 0; round < 20; round++) {
    const history = Array.from({ length: 60 }, (_, index) => {
      const time = T + index * 1000;
      const line = pick(['tty1', 'pts/0', 'pts/1', 'pts/2']);
      return pick([
        ...Array.from({ length: 8 }, () => login(line, pick(['alice', 'bob', 'root']), pick(['', '192.0.2.7']), time)),
        ...Array.from({ length: 6 }, () => logout(line, time)),
        ...[boot(KERNEL, time), shutdown(KERNEL, time)],
      ]);
    });
    const records = round === 0 ? HISTORY : history;
    await withDirectory(async (directory) => {
      const file = join(directory, 'wtmp');
      writeFileSync(file, fileOf(records));
      const expected = theirs('last', file);
      const found = await sessions(records);
      assert.equal(found.length, expected.length);
      for (const [index, one] of found.entries()) {
        const line = expected[index] ?? '';
        const words = [one.user, one.tty, one.host, lastTime(one.login)].filter((word) => word !== '').join(' ');
        assert.ok(line.startsWith(words), `${line} <> ${words}`);
        assert.match(line, endings(one), JSON.stringify(one));
      }
    });
  }
});

test('as lastb tells it', { skip: without('lastb') || (process.arch === 'arm64' && 'records of 384 bytes') }, async () => {
  const records = [
    { type: 6, pid: 9, line: 'ssh:notty', user: 'admin', host: '203.0.113.9', time: T },
    { type: 7, pid: 9, line: 'tty1', user: 'root', host: '', time: T + 5 },
    { type: 6, pid: 9, line: 'ssh:notty', user: '', host: '203.0.113.9', time: T + 6 },
  ];
  await withDirectory((directory) => {
    const file = join(directory, 'btmp');
    writeFileSync(file, fileOf(records));
    const found = [...failedLogins(recordsBackwards(file, NARROW))];
    assert.deepEqual(
      found.map(({ user, tty, host, state, logout: end }) => [user, tty, host, state, end]),
      records.toReversed().map(({ user, line, host }) => [user, line, host, 'failed', undefined]),
    );
    const ours = found.map((one) => [one.user, one.tty, one.host, lastTime(one.login)].filter((word) => word !== '').join(' '));
    assert.deepEqual(
      theirs('lastb', file).map((line) => line.replace(/ - .*$/, '').trimStart()),
      ours,
    );
  });
});
