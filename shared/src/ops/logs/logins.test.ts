/** Proves logs/logins: files, filter, limits and failures, and the database of newer hosts. */
import assert from 'node:assert/strict';
import { execFileSync } from 'node:child_process';
import { mkdirSync, writeFileSync } from 'node:fs';
import { dirname, join } from 'node:path';
import { DatabaseSync } from 'node:sqlite';
import { test } from 'node:test';
import { layoutFor } from '../../host/logins/records.ts';
import { failsWith, testContext } from '../../testing/context.ts';
import { boot, fileOf, login, logout, type GivenRecord } from '../../testing/login-records.ts';
import { misfit } from '../../testing/schema.ts';
import { withDirectory } from '../../testing/tree.ts';
import { logsLogins, type LoginEntry } from './logins.ts';

const T = Date.parse('2026-11-20T08:00:00Z') / 1000;
const SIZE = layoutFor(process.arch).bytes;

type Args = Parameters<typeof logsLogins.run>[0];

function put(root: string, path: string, records: readonly GivenRecord[]): void {
  mkdirSync(dirname(join(root, path)), { recursive: true });
  writeFileSync(join(root, path), fileOf(records, SIZE));
}

async function logins(root: string, args: Args = {}): Promise<{ truncated: boolean; limit: number; entries: LoginEntry[] }> {
  const context = testContext<LoginEntry>({ root });
  const result = await logsLogins.run(args, context);
  assert.equal(misfit(logsLogins.result, result), undefined);
  assert.ok(logsLogins.record !== undefined);
  for (const record of context.records) assert.equal(misfit(logsLogins.record, record), undefined);
  return { ...result, entries: context.records };
}

const WTMP = [
  boot('6.1.0', T),
  login('pts/0', 'alice', '192.0.2.7', T + 60),
  logout('pts/0', T + 1740),
  login('pts/1', 'bob', '', T + 2000),
];

test('logins and boots', async () => {
  await withDirectory(async (root) => {
    put(root, 'var/log/wtmp', WTMP);
    assert.deepEqual(await logins(root), {
      truncated: false,
      limit: 1000,
      entries: [
        { user: 'bob', tty: 'pts/1', host: '', login: '2026-11-20T08:33:20Z', logout: null, state: 'open' },
        {
          user: 'alice',
          tty: 'pts/0',
          host: '192.0.2.7',
          login: '2026-11-20T08:01:00Z',
          logout: '2026-11-20T08:29:00Z',
          seconds: 1680,
          state: 'closed',
        },
        { user: 'reboot', tty: 'system boot', host: '6.1.0', login: '2026-11-20T08:00:00Z', logout: null, state: 'boot' },
      ],
    });
    assert.deepEqual(
      (await logins(root, { user: 'reboot' })).entries.map(({ state }) => state),
      ['boot'],
    );
    assert.deepEqual((await logins(root, { user: 'nobody' })).entries, []);
  });
});

test('failed logins from their own file', async () => {
  await withDirectory(async (root) => {
    put(root, 'var/log/btmp', [{ type: 6, line: 'ssh:notty', user: 'admin', host: '203.0.113.9', time: T }]);
    const { entries } = await logins(root, { type: 'failed' });
    assert.deepEqual(entries, [
      { user: 'admin', tty: 'ssh:notty', host: '203.0.113.9', login: '2026-11-20T08:00:00Z', logout: null, state: 'failed' },
    ]);
  });
});

test('limits: the usual one, one of the caller, the highest', async () => {
  await withDirectory(async (root) => {
    put(
      root,
      'var/log/wtmp',
      Array.from({ length: 1500 }, (_, index) => login(`pts/${String(index)}`, index % 3 === 0 ? 'alice' : 'bob', '', T + index)),
    );
    const counts = async (args: Args): Promise<unknown[]> => {
      const { entries, truncated, limit } = await logins(root, args);
      return [entries.length, truncated, limit];
    };
    assert.deepEqual(await counts({}), [1000, true, 1000]);
    assert.deepEqual(await counts({ limit: 0 }), [1000, true, 1000]);
    assert.deepEqual(await counts({ limit: 5 }), [5, true, 5]);
    assert.deepEqual(await counts({ limit: 1500 }), [1500, false, 1500]);
    assert.deepEqual(await counts({ limit: 2_000_000 }), [1500, false, 100_000]);
    assert.deepEqual(await counts({ limit: 500, user: 'alice' }), [500, false, 500], 'exactly as many as there are');
    assert.deepEqual(await counts({ limit: 499, user: 'alice' }), [499, true, 499]);
  });
});

test('times that are none, and a clock that was set back', async () => {
  await withDirectory(async (root) => {
    put(root, 'var/log/wtmp', [login('pts/0', 'alice', '', T + 100), logout('pts/0', T)]);
    const [entry] = (await logins(root)).entries;
    assert.deepEqual([entry?.seconds, entry?.logout], [0, '2026-11-20T08:00:00Z']);
  });
});

test('what cannot be read', async () => {
  await withDirectory(async (root) => {
    const message = (file: string): { message: string } => ({
      message: `failed to read login records: ${file}: no such file or directory`,
    });
    await assert.rejects(logins(root), message('/var/log/wtmp'));
    await assert.rejects(logins(root, { type: 'failed' }), message('/var/log/btmp'));
    for (const user of ['a b', '-l', '', 'x'.repeat(65), 'a\n', '1st']) {
      await assert.rejects(logins(root, { user }), { message: `invalid user "${user}"` });
    }
    put(root, 'var/log/wtmp', WTMP);
    const stopped = testContext<LoginEntry>({ root, signal: AbortSignal.abort() });
    await assert.rejects(logsLogins.run({}, stopped), failsWith('cancelled'));
  });
});

const SCHEMA =
  'CREATE TABLE wtmp(ID INTEGER PRIMARY KEY, Type INTEGER, User TEXT NOT NULL, Login INTEGER, Logout INTEGER, TTY TEXT, RemoteHost TEXT, Service TEXT) STRICT';

/** Rows of type, user, login, logout (seconds), terminal, host. */
type DatabaseRow = readonly [number, string, number, number | null, string | null, string | null];

function putDatabase(root: string, rows: readonly DatabaseRow[]): void {
  const file = join(root, 'var/lib/wtmpdb/wtmp.db');
  mkdirSync(dirname(file), { recursive: true });
  const database = new DatabaseSync(file);
  database.exec(SCHEMA);
  const insert = database.prepare('INSERT INTO wtmp(Type, User, Login, Logout, TTY, RemoteHost) VALUES (?, ?, ?, ?, ?, ?)');
  const micro = (seconds: number | null): bigint | null => (seconds === null ? null : BigInt(seconds) * 1_000_000n + 999_999n);
  for (const [type, user, begin, end, tty, host] of rows) insert.run(type, user, micro(begin), micro(end), tty, host);
  database.close();
}

test('without wtmp the database of newer hosts', async () => {
  await withDirectory(async (root) => {
    putDatabase(root, [
      [1, 'reboot', T, null, '~', '6.12.0'],
      [3, 'alice', T + 60, T + 120, 'pts/0', '192.0.2.7'],
      [3, 'bob', T + 70, null, 'tty1', null],
      [2, 'runlevel', T + 80, null, '~', ''],
      [1, 'reboot', T + 1000, T + 5000, '~', '6.12.0'],
      [1, 'reboot', T + 6000, null, '~', '6.12.1'],
      [3, 'carol', T + 6100, null, 'pts/2', 'h'],
    ]);
    const { entries } = await logins(root);
    assert.deepEqual(
      entries.map(({ user, tty, host, login: at, state, seconds }) => [user, tty, host, at.slice(11), state, seconds]),
      [
        ['carol', 'pts/2', 'h', '09:41:40Z', 'open', undefined],
        ['reboot', 'system boot', '6.12.1', '09:40:00Z', 'boot', undefined],
        ['reboot', 'system boot', '6.12.0', '08:16:40Z', 'boot', 4000],
        ['bob', 'tty1', '', '08:01:10Z', 'crash', undefined],
        ['alice', 'pts/0', '192.0.2.7', '08:01:00Z', 'closed', 60],
        ['reboot', 'system boot', '6.12.0', '08:00:00Z', 'boot', undefined],
      ],
    );
    put(root, 'var/log/wtmp', []);
    assert.deepEqual((await logins(root)).entries, [], 'wtmp comes first where there are both');
  });
});

test('a database that is none', async () => {
  await withDirectory(async (root) => {
    mkdirSync(join(root, 'var/lib/wtmpdb'), { recursive: true });
    writeFileSync(join(root, 'var/lib/wtmpdb/wtmp.db'), 'rubbish'.repeat(1000));
    const file = '/var/lib/wtmpdb/wtmp.db';
    await assert.rejects(logins(root), { message: `failed to read login records: ${file}: file is not a database` });
    writeFileSync(join(root, 'var/lib/wtmpdb/wtmp.db'), '');
    await assert.rejects(logins(root), failsWith('login_records', { file }));
  });
});

test('the database can be read under the flags of both processes', async () => {
  await withDirectory((root) => {
    putDatabase(root, [[3, 'alice', T, null, 'pts/0', '']]);
    const flags = ['--jitless', '--disable-proto=delete', '--disallow-code-generation-from-strings', '--no-addons'];
    const program = `
      const { DatabaseSync } = await import('node:sqlite');
      const query = new DatabaseSync(process.argv[1], { readOnly: true }).prepare('SELECT User, Login FROM wtmp');
      query.setReadBigInts(true);
      for (const row of query.iterate()) console.log(row.User, String(row.Login));`;
    const all = [...flags, '--frozen-intrinsics', '--disable-warning=ExperimentalWarning', '--input-type=module', '-e', program];
    const output = execFileSync(process.execPath, [...all, join(root, 'var/lib/wtmpdb/wtmp.db')], { encoding: 'utf8' });
    assert.equal(output, `alice ${String(T)}999999\n`);
  });
});
