/** Packages, accounts, kernel parameters and the release of a booted host, compared with the programs that administrators trust. */
import assert from 'node:assert/strict';
import { test } from 'node:test';
import { bootedHost } from '../support/host/suite.ts';
import { install, output } from '../support/inside/inside.ts';

const host = bootedHost({
  accounts: ['alice'],
  grants: '  ops:\n    tools:\n      kernel/system-control: {allowed: true, sysctl: {write_keys: ["kernel.*"]}}\n',
});
const { skip } = host;

async function json<T>(tool: string, args: object = {}): Promise<T> {
  const answer = await (await host.as('guest')).call(tool, { output_format: 'json', ...args });
  assert.equal(answer.isError, false, answer.text);
  return JSON.parse(answer.text) as T;
}

test('packages are those of dpkg-query', { skip }, async () => {
  const format = '${db:Status-Status} ${Package} ${Version} ${Architecture}\n';
  const expected = (await output(host, 'dpkg-query', '-W', `--showformat=${format}`)).split('\n');
  const installed = expected.filter((line) => line.startsWith('installed ')).map((line) => line.slice('installed '.length));
  const found = await json<{ name: string; version: string; architecture: string }[]>('system/packages');
  assert.ok(found.length > 100, String(found.length));
  assert.deepEqual(
    found.map(({ name, version, architecture }) => `${name} ${version} ${architecture}`),
    installed.sort(),
  );
});

test('one package, a glob, none', { skip }, async () => {
  const guest = await host.as('guest');
  const version = await output(host, 'dpkg-query', '-W', '--showformat=${Version}', 'cron');
  const { text } = await guest.call('system/packages', { name: 'cron' });
  assert.equal(text.split('\n')[0], '1 packages installed (dpkg)');
  assert.match(text.split('\n')[2] ?? '', new RegExp(`^cron {2}${version.replaceAll(/[.+]/g, '\\$&')} {2}amd64$`));
  const names = (await json<{ name: string }[]>('system/packages', { name: 'libsystemd*' })).map(({ name }) => name);
  assert.ok(names.includes('libsystemd0') && names.every((name) => name.startsWith('libsystemd')), names.join());
  assert.deepEqual(await json('system/packages', { name: '--version' }), []);
});

test('a package that is being removed is not installed', { skip }, async () => {
  await output(host, 'dpkg', '--remove', '--force-depends', 'logrotate');
  assert.match(await output(host, 'dpkg-query', '-W', '--showformat=${db:Status-Status}', 'logrotate'), /config-files/);
  assert.deepEqual(await json('system/packages', { name: 'logrotate' }), []);
});

test('accounts are those of getent', { skip }, async () => {
  await output(host, 'usermod', '--append', '--groups', 'adm,games', 'alice');
  const found = await json<Record<string, unknown>[]>('users/list');
  const passwd = (await output(host, 'getent', 'passwd')).split('\n').map((line) => line.split(':'));
  passwd.sort(([, , a], [, , b]) => Number(a) - Number(b));
  const fields = ['username', 'uid', 'gid', 'comment', 'home_dir', 'shell'];
  assert.deepEqual(
    found.map((account) => fields.map((field) => String(account[field]))),
    passwd.map(([name, , uid, gid, comment, home, shell]) => [name, uid, gid, comment, home, shell]),
  );
  const alice = found.find((account) => account['username'] === 'alice');
  const groups = (await output(host, 'id', '-Gn', 'alice')).split(' ');
  assert.deepEqual([...(alice?.['groups'] as string[])].sort(), groups.filter((name) => name !== 'alice').sort());
});

test('release and kernel are those of the files', { skip }, async () => {
  const { os_release, kernel } = await json<{ os_release: string; kernel: string }>('system/os-release');
  assert.equal(os_release.trimEnd(), await output(host, 'cat', '/etc/os-release'));
  assert.equal(kernel, await output(host, 'uname', '-snrvm'));
});

test('a kernel parameter is written, as sysctl sees it', { skip }, async () => {
  // The one that belongs to the booted system alone: the others are this machine's.
  const ops = await host.as('ops');
  const write = (value: string, more = {}) =>
    ops.call('kernel/system-control', { key: 'kernel.hostname', value, privileged: true, ...more });
  assert.equal((await write('other', { dry_run: true })).text, 'Dry run: kernel.hostname = steward-host -> other');
  assert.equal(await output(host, 'sysctl', '-n', 'kernel.hostname'), 'steward-host');
  assert.equal((await write('renamed')).text, 'kernel.hostname = renamed');
  assert.equal(await output(host, 'sysctl', '-n', 'kernel.hostname'), 'renamed');
  assert.equal(await output(host, 'hostname'), 'renamed');
  assert.equal((await write('steward-host')).isError, false);
  assert.match((await host.audit()).replaceAll('\n', ' '), /kernel\/system-control.*kernel\.hostname/);
});

test('time zone and locale are those of the host', { skip }, async () => {
  await output(host, 'ln', '-sf', '/usr/share/zoneinfo/Asia/Kathmandu', '/etc/localtime');
  await host.run(['rm', '-f', '/etc/timezone']);
  await install(host, '/etc/default/locale', 'LANG="de_DE.UTF-8"\nLC_TIME=C.UTF-8\nOTHER=x\n');
  const read = (uri: string): Promise<string> => host.resource('guest', uri);
  const zone = (await read('system://timezone')).split('\n');
  assert.deepEqual(zone.slice(0, 3), ['Time zone: Asia/Kathmandu', 'Abbreviation: +0545', 'UTC offset: +5.75']);
  const now = Date.parse(`${await output(host, 'date', '+%Y-%m-%dT%H:%M:%S')}Z`);
  const told = Date.parse((zone[3] ?? '').replace(/^Current local time: /, '').replace(/ \S+$/, ' UTC'));
  assert.ok(Math.abs(told - now) < 10_000, zone[3]);
  assert.equal((await read('system://locale')).trimEnd(), 'Source: /etc/default/locale\nLANG=de_DE.UTF-8\nLC_TIME=C.UTF-8');
});
