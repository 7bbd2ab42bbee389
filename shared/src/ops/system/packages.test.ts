/** Proves the package databases: dpkg with all its states, apk, hosts with neither, large files, and dpkg-query as the judge. */
import assert from 'node:assert/strict';
import { existsSync, mkdirSync, renameSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { test } from 'node:test';
import { setTimeout as sleep } from 'node:timers/promises';
import type { InstalledPackage } from '../../host/packages/package.ts';
import { failsWith, testContext, withTree } from '../../testing/context.ts';
import { without } from '../../testing/programs.ts';
import { misfit } from '../../testing/schema.ts';
import { printed } from '../../testing/truth.ts';
import { systemPackages } from './packages.ts';

async function packages(root: string, name?: string): Promise<{ found: InstalledPackage[]; result: unknown }> {
  const context = testContext<InstalledPackage>({ root });
  const result = await systemPackages.run(name === undefined ? {} : { name }, context);
  assert.equal(misfit(systemPackages.result, result), undefined);
  return { found: context.records, result };
}

const namesOf = (found: readonly InstalledPackage[]): string[] => found.map(({ name }) => name);

function paragraph(name: string, status: string, more = ''): string {
  return `Package: ${name}\nStatus: ${status}\nPriority: optional\nArchitecture: amd64\nVersion: 1:2.3-4+deb12u1\nDescription: x\n Version: 9\n .\n Package: no\n${more}\n`;
}

const STATUS = [
  paragraph('zlib1g', 'install ok installed', 'Conffiles:\n /etc/x 0123\n'),
  paragraph('held', 'hold ok installed'),
  paragraph('half', 'install reinstreq half-installed'),
  paragraph('gone', 'deinstall ok config-files'),
  paragraph('unpacked', 'install ok unpacked'),
  'Package: libc6\nStatus: install ok installed\nArchitecture: i386\nMulti-Arch: same\nVersion: 2.36\n\n',
  'Package: libc6\nStatus: install ok installed\nArchitecture: amd64\nVersion: 2.36',
].join('');

test('dpkg: what is installed, by name, whatever else the file says', async () => {
  await withTree({ 'var/lib/dpkg/status': STATUS }, async (root) => {
    const { found, result } = await packages(root);
    assert.deepEqual(result, { database: 'dpkg', count: 4 });
    assert.deepEqual(found, [
      { name: 'held', version: '1:2.3-4+deb12u1', architecture: 'amd64' },
      { name: 'libc6', version: '2.36', architecture: 'amd64' },
      { name: 'libc6', version: '2.36', architecture: 'i386' },
      { name: 'zlib1g', version: '1:2.3-4+deb12u1', architecture: 'amd64' },
    ]);
    assert.deepEqual(namesOf((await packages(root, 'libc6')).found), ['libc6', 'libc6']);
    assert.deepEqual(namesOf((await packages(root, '[hz]*')).found), ['held', 'zlib1g']);
    assert.deepEqual((await packages(root, 'LIBC6')).result, { database: 'dpkg', count: 0 });
  });
});

test('dpkg: one file per package, with or without a status', async () => {
  const files = {
    'var/lib/dpkg/status.d/base-files': 'Package: base-files\nVersion: 12.4\nArchitecture: arm64\n',
    'var/lib/dpkg/status.d/base-files.md5sums': 'Package: wrong\n',
    'var/lib/dpkg/status.d/tzdata': paragraph('tzdata', 'install ok installed'),
    'var/lib/dpkg/status.d/old': paragraph('old', 'deinstall ok config-files'),
  };
  await withTree(files, async (root) => assert.deepEqual(namesOf((await packages(root)).found), ['base-files', 'tzdata']));
  await withTree({ ...files, 'var/lib/dpkg/status': STATUS }, async (root) => {
    assert.deepEqual((await packages(root)).result, { database: 'dpkg', count: 6 });
  });
});

const APK = `C:Q1qKcZ+j23xssAXmgQhkOO8dHnbWw=
P:musl
V:1.2.4_git20230717-r4
A:x86_64
S:407278
T:the musl c library
F:lib
R:ld-musl-x86_64.so.1
a:0:0:755

C:Q1/
P:alpine-baselayout
V:3.4.3-r2
A:noarch
`;

test('apk in both places', async () => {
  for (const path of ['lib/apk/db/installed', 'usr/lib/apk/db/installed']) {
    await withTree({ [path]: APK, 'var/lib/rpm/x': '' }, async (root) => {
      const { found, result } = await packages(root);
      assert.deepEqual(result, { database: 'apk', count: 2 });
      assert.deepEqual(found, [
        { name: 'alpine-baselayout', version: '3.4.3-r2', architecture: 'noarch' },
        { name: 'musl', version: '1.2.4_git20230717-r4', architecture: 'x86_64' },
      ]);
    });
  }
});

test('hosts of other kinds', async () => {
  for (const path of ['var/lib/rpm/rpmdb.sqlite', 'usr/lib/sysimage/rpm/rpmdb.sqlite']) {
    await withTree({ [path]: '' }, (root) =>
      assert.rejects(packages(root), { message: 'rpm-based hosts are not supported by this tool' }),
    );
  }
  await withTree({}, (root) => assert.rejects(packages(root), { message: 'no supported package database found (dpkg or apk)' }));
  await withTree({ 'var/lib/dpkg/status/x': '' }, (root) =>
    assert.rejects(packages(root), failsWith('read_system', { path: '/var/lib/dpkg/status', reason: 'is a directory' })),
  );
});

test('a status file of many megabytes: pieces that end anywhere', async () => {
  const filler = ` ${'long description '.repeat(20)}ä\n`;
  const text = Array.from({ length: 12_000 }, (_, index) =>
    paragraph(`p${String(index).padStart(5, '0')}`, 'install ok installed', filler.repeat(3)),
  ).join('');
  assert.ok(text.length > 10_000_000);
  await withTree({ 'var/lib/dpkg/status': text }, async (root) => {
    const { found } = await packages(root);
    assert.equal(found.length, 12_000);
    assert.ok(
      found.every(({ name, version }, index) => name === `p${String(index).padStart(5, '0')}` && version === '1:2.3-4+deb12u1'),
    );
  });
});

test('a stopped call ends', async () => {
  await withTree({ 'var/lib/dpkg/status': STATUS }, async (root) => {
    const stopped = testContext<InstalledPackage>({ root, signal: AbortSignal.abort() });
    await assert.rejects(systemPackages.run({}, stopped), failsWith('cancelled'));
  });
});

test('a package installed between two calls is seen, also where the database is remembered', async () => {
  await withTree({ 'var/lib/dpkg/status': STATUS }, async (root) => {
    const status = join(root, 'var/lib/dpkg/status');
    await sleep(3100); // a file that was just written is not remembered
    for (let call = 0; call < 2; call += 1) assert.equal((await packages(root)).found.length, 4);
    writeFileSync(`${status}-new`, STATUS.replace('install ok unpacked', 'install ok installed'));
    renameSync(`${status}-new`, status);
    assert.deepEqual(namesOf((await packages(root)).found), ['held', 'libc6', 'libc6', 'unpacked', 'zlib1g']);
    assert.deepEqual(namesOf((await packages(root, 'unp*')).found), ['unpacked']);
    mkdirSync(join(root, 'var/lib/dpkg/status.d'));
    writeFileSync(join(root, 'var/lib/dpkg/status.d/added'), 'Package: added\nVersion: 1\nArchitecture: all\n');
    assert.equal((await packages(root)).found.length, 6);
  });
});

const noDpkg = existsSync('/var/lib/dpkg/status') ? without('dpkg-query') : 'not a Debian host';
test('as dpkg-query tells it', { skip: noDpkg }, async () => {
  const format = '${db:Status-Status}\t${Package}\t${Version}\t${Architecture}\n';
  const theirs = printed('dpkg-query', ['-W', `-f=${format}`])
    .split('\n')
    .filter((line) => line.startsWith('installed\t'));
  const { found } = await packages('/');
  const ours = found.map(({ name, version, architecture }) => ['installed', name, version, architecture].join('\t'));
  assert.deepEqual(ours.sort(), theirs.sort());
});
