/** Proves words, texts and JSON forms of the tools about system, accounts and logs, and what callers may write. */
import assert from 'node:assert/strict';
import { test } from 'node:test';
import type { InstalledPackage } from '@steward/shared/host/packages/package.ts';
import { localTime } from '@steward/shared/host/times.ts';
import type { KernelLog } from '@steward/shared/ops/logs/dmesg.ts';
import type { LoginEntry } from '@steward/shared/ops/logs/logins.ts';
import { optionsOf, outcomeOf, textOf } from '../../testing/outcome.ts';
import { checkArguments } from '../arguments.ts';
import { dmesgTool } from '../logs/dmesg.ts';
import { LOG_TOOLS } from '../logs/index.ts';
import { loginsTool } from '../logs/logins.ts';
import { parametersOf } from '../parameters.ts';
import type { AnyTool } from '../tool.ts';
import { USER_TOOLS } from '../users/index.ts';
import { usersListTool } from '../users/list.ts';
import { SYSTEM_TOOLS } from './index.ts';
import { osReleaseTool } from './os-release.ts';
import { packagesTool } from './packages.ts';

function argumentsOf(tool: AnyTool, given: Record<string, unknown>): Record<string, unknown> {
  return checkArguments(tool, parametersOf(tool), given);
}

test('names in the order of the catalogue, arguments in the order of the listing', () => {
  const listed = [...SYSTEM_TOOLS, ...USER_TOOLS, ...LOG_TOOLS].map((tool) =>
    [tool.name, ...parametersOf(tool).map(({ name, required }) => (required ? `${name}*` : name))].join(' '),
  );
  assert.deepEqual(listed, [
    'system/os-release output_format',
    'system/packages name output_format privileged',
    'users/list min_uid output_format privileged',
    'logs/journal-control unit lines since until reverse boot boot_offset output_format privileged',
    'logs/dmesg level output_format privileged',
    'logs/logins type limit user output_format privileged',
  ]);
});

test('system/os-release', async () => {
  const result = { os_release: 'ID=debian\nVERSION_ID="12"\n', kernel: 'Linux web1 6.1.0 #1 SMP x86_64' };
  const text = 'OS Release Info:\nID=debian\nVERSION_ID="12"\n\nKernel Info: Linux web1 6.1.0 #1 SMP x86_64';
  assert.equal(await textOf(osReleaseTool.text(outcomeOf(result), optionsOf({}))), text);
});

test('system/packages', async () => {
  const text = (records: readonly InstalledPackage[]): Promise<string> =>
    textOf(packagesTool.text(outcomeOf({ database: 'dpkg' as const, count: records.length }, records), optionsOf({})));
  const records = [
    { name: 'libc6', version: '2.36-9+deb12u9', architecture: 'amd64' },
    { name: 'zlib1g', version: '1:1.2.13', architecture: '' },
  ];
  assert.equal(
    await text(records),
    `2 packages installed (dpkg)
NAME    VERSION         ARCH
libc6   2.36-9+deb12u9  amd64
zlib1g  1:1.2.13        -`,
  );
  assert.match(await text(records.slice(0, 1)), /^1 packages installed \(dpkg\)\n/);
  assert.equal(await text([]), '0 packages installed (dpkg)\nNAME  VERSION  ARCH');
});

test('users/list', async () => {
  const www = {
    ...{ username: 'www-data', uid: 33, gid: 33, group_name: 'www-data', comment: 'www' },
    ...{ home_dir: '/var/www', shell: '/usr/sbin/nologin', groups: ['a', 'b'] },
  };
  const odd = { ...www, username: 'odd', home_dir: '/a\u001bb', groups: [] };
  assert.equal(
    await textOf(usersListTool.text(outcomeOf({}, [www, odd]), optionsOf({}))),
    `www-data (uid=33 gid=33(www-data)) home=/var/www shell=/usr/sbin/nologin groups=a,b
odd (uid=33 gid=33(www-data)) home=/a\\x1bb shell=/usr/sbin/nologin groups=`,
  );
  assert.equal(await textOf(usersListTool.text(outcomeOf({}, []), optionsOf({}))), '');
  assert.deepEqual(argumentsOf(usersListTool, { min_uid: 1000 }), { min_uid: 1000 });
  assert.throws(() => argumentsOf(usersListTool, { min_uid: -1 }), { message: 'min_uid must be at least 0' });
  assert.throws(() => argumentsOf(usersListTool, { min_uid: '5' }), { message: 'min_uid must be an integer' });
});

test('logs/dmesg', async () => {
  const entry = { seq: 1, time: '2026-11-20T08:00:12.345Z', seconds: 12.345678, level: 'info', facility: 'kern' } as const;
  const log: KernelLog = { entries: [{ ...entry, message: 'message' }], truncated: false };
  assert.equal(await textOf(dmesgTool.text(outcomeOf(log), optionsOf({}))), '[   12.345678] message');
  const cut: KernelLog = {
    entries: [
      { ...entry, message: 'a\nb' },
      { ...entry, message: 'c' },
    ],
    truncated: true,
  };
  const text = '[WARNING: Output truncated to last 30KB]\n[   12.345678] a\nb\n[   12.345678] c';
  assert.equal(await textOf(dmesgTool.text(outcomeOf(cut), optionsOf({}))), text);
  assert.deepEqual(argumentsOf(dmesgTool, { level: '' }), {});
});

const ALICE: LoginEntry = {
  ...{ user: 'alice', tty: 'pts/0', host: '192.0.2.7', login: '2026-11-20T11:33:02Z' },
  ...{ logout: '2026-11-20T12:01:40Z', seconds: 1718, state: 'closed' },
};
const OPEN: LoginEntry = { ...ALICE, logout: null, state: 'open' };
const RESULT = { truncated: false, limit: 1000 };

function loginsText(entries: readonly LoginEntry[], result = RESULT, limit?: number): Promise<string> {
  return textOf(loginsTool.text(outcomeOf(result, entries), optionsOf(limit === undefined ? {} : { limit })));
}

test('logs/logins in columns', async () => {
  const [from, to] = ['2026-11-20T11:33:02Z', '2026-11-20T12:01:40Z'].map((time) => localTime(Date.parse(time)));
  const start = `alice    pts/0        192.0.2.7        ${from ?? ''}`;
  assert.equal(await loginsText([ALICE]), `${start} - ${to ?? ''} (00:28)`);
  assert.equal(await loginsText([OPEN]), `${start} still logged in`);
  assert.equal(await loginsText([{ ...ALICE, state: 'down' }]), `${start} - down (00:28)`);
  assert.equal(await loginsText([{ ...OPEN, state: 'crash' }]), `${start} - crash`);
  assert.equal(await loginsText([{ ...OPEN, state: 'failed' }]), start);
  assert.match(await loginsText([{ ...ALICE, seconds: 200_000 }]), / \(2\+07:33\)$/);
  const boot: LoginEntry = { ...OPEN, user: 'reboot', tty: 'system boot', host: '6.1.0-18-amd64', state: 'boot' };
  assert.equal(await loginsText([boot]), `reboot   system boot  6.1.0-18-amd64   ${from ?? ''}`);
  const long = { ...OPEN, user: 'a-long-name', host: 'host\n.example.a-long-name' };
  assert.match(await loginsText([long]), /^a-long-name pts\/0 {8}host\\n\.example\.a-long-name 2026-/);
  assert.equal(await loginsText([]), '');
});

test('logs/logins tells when it was cut, but not to who asked for so many', async () => {
  const warning = '\n[WARNING: Output truncated to the newest 1000 records]';
  assert.ok((await loginsText([OPEN], { truncated: true, limit: 1000 })).endsWith(warning));
  assert.ok((await loginsText([OPEN], { truncated: true, limit: 1000 }, 0)).endsWith(warning));
  assert.ok(!(await loginsText([OPEN], { truncated: true, limit: 5 }, 5)).includes('WARNING'));
  assert.match(await loginsText([OPEN], { truncated: true, limit: 100_000 }, 200_000), /the newest 100000 records\]$/);
});

test('logs/logins as JSON', async () => {
  const json = async (entries: readonly LoginEntry[]): Promise<string> => {
    const rendered = loginsTool.json?.(outcomeOf({ truncated: true, limit: 2 }, entries), optionsOf({}, { form: 'json' }));
    return textOf(rendered ?? { text: '' });
  };
  for (const entries of [[], [ALICE], [ALICE, OPEN]]) {
    assert.equal(await json(entries), JSON.stringify({ entries, truncated: true }, null, 2));
  }
});

test('logs/logins: which types there are', () => {
  assert.deepEqual(argumentsOf(loginsTool, { type: 'failed', limit: 0 }), { type: 'failed', limit: 0 });
  assert.deepEqual(argumentsOf(loginsTool, { type: '', user: '' }), {});
  assert.throws(() => argumentsOf(loginsTool, { type: 'foo' }), { message: 'invalid type "foo": must be "success" or "failed"' });
  assert.throws(() => argumentsOf(loginsTool, { type: 5 }), { message: 'type must be a string' });
  assert.throws(() => argumentsOf(loginsTool, { limit: -1 }), { message: 'limit must be at least 0' });
});
