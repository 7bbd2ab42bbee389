/** Proves os-release with the kernel's words, the language settings and the accounts, the latter against getent. */
import assert from 'node:assert/strict';
import { test } from 'node:test';
import { readLocale } from '../../host/locale.ts';
import { failsWith, testContext, withTree } from '../../testing/context.ts';
import { without } from '../../testing/programs.ts';
import { misfit } from '../../testing/schema.ts';
import { printed } from '../../testing/truth.ts';
import { usersList, type UserRecord } from '../users/list.ts';
import { systemLocale } from './locale.ts';
import { systemOsRelease } from './os-release.ts';

const KERNEL = {
  'proc/sys/kernel/ostype': 'Linux\n',
  'proc/sys/kernel/hostname': 'web1\n',
  'proc/sys/kernel/osrelease': '6.1.0\n',
  'proc/sys/kernel/version': '#1 SMP\n',
};

test('os-release as it is, and the words of uname', async () => {
  await withTree({ ...KERNEL, 'usr/lib/os-release': 'ID=debian\nX="y"\n' }, async (root) => {
    const found = await systemOsRelease.run({}, testContext({ root }));
    assert.equal(found.os_release, 'ID=debian\nX="y"\n');
    assert.match(found.kernel, /^Linux web1 6\.1\.0 #1 SMP \S+$/);
    assert.equal(misfit(systemOsRelease.result, found), undefined);
  });
  await withTree(KERNEL, async (root) => {
    const message = 'failed to read os-release: no such file or directory';
    await assert.rejects(systemOsRelease.run({}, testContext({ root })), { message });
  });
});

test('the kernel as uname tells it', { skip: without('uname') }, async () => {
  assert.equal((await systemOsRelease.run({}, testContext())).kernel, printed('uname', ['-snrvm']).trim());
});

test('language settings: quotes, comments and other names', async () => {
  const text = '# set by installer\nLANG="en_US.UTF-8"\nLANGUAGE=en\nexport LC_TIME=\'de_DE.UTF-8\'\n LC_ALL=C # why\nPATH=/x\n';
  await withTree({ 'etc/default/locale': text, 'etc/locale.conf': 'LANG=no\n' }, async (root) => {
    const found = await systemLocale.run({}, testContext({ root }));
    const settings = ['LANG=en_US.UTF-8', 'LC_TIME=de_DE.UTF-8', 'LC_ALL=C'];
    assert.deepEqual(found, { source: '/etc/default/locale', settings });
    assert.equal(misfit(systemLocale.result, found), undefined);
  });
  await withTree({ 'etc/locale.conf': 'LANG=C.UTF-8' }, async (root) => {
    assert.deepEqual(await readLocale(root), { source: '/etc/locale.conf', settings: ['LANG=C.UTF-8'] });
  });
});

test('without a file the settings of this process, and nothing else of its environment', async () => {
  await withTree({}, async (root) => {
    const environment = { LANG: 'C', LC_CTYPE: 'de_DE', LANGUAGE: 'de', SECRET: 'x', lc_all: 'y', LC_: 'z' };
    assert.deepEqual(await readLocale(root, environment), { source: 'environment', settings: ['LANG=C', 'LC_CTYPE=de_DE'] });
    assert.deepEqual(await readLocale(root, {}), { source: 'environment', settings: [] });
  });
  await withTree({ 'etc/default/locale/x': '' }, async (root) => {
    await assert.rejects(readLocale(root), failsWith('read_system', { path: '/etc/default/locale', reason: 'is a directory' }));
  });
});

async function users(root: string, min_uid?: number): Promise<UserRecord[]> {
  const context = testContext<UserRecord>({ root });
  await usersList.run(min_uid === undefined ? {} : { min_uid }, context);
  assert.ok(usersList.record !== undefined);
  for (const record of context.records) assert.equal(misfit(usersList.record, record), undefined);
  return context.records;
}

const ACCOUNTS = {
  'etc/passwd':
    'alice:x:1000:1000:Alice A,,,:/home/alice:/bin/bash\nroot:x:0:0:root:/root:/bin/bash\nwww-data:x:33:33::/var/www:/usr/sbin/nologin\ntoor:x:0:77:::\nbroken\n',
  'etc/group': 'root:x:0:\nsudo:x:27:alice\nwww-data:x:33:www-data,alice\nalice:x:1000:alice\nsudo2:x:28:alice,alice\n',
  'etc/shadow': 'alice:$y$secret:1::::::\n',
};

test('accounts by uid with their groups', async () => {
  await withTree(ACCOUNTS, async (root) => {
    const found = await users(root);
    assert.deepEqual(
      found.map(({ username, uid, group_name, groups }) => [username, uid, group_name, groups]),
      [
        ['root', 0, 'root', []],
        ['toor', 0, '77', []],
        ['www-data', 33, 'www-data', []],
        ['alice', 1000, 'alice', ['sudo', 'www-data', 'sudo2']],
      ],
    );
    assert.ok(!JSON.stringify(found).includes('secret'));
    assert.deepEqual(found[3], {
      username: 'alice',
      uid: 1000,
      gid: 1000,
      group_name: 'alice',
      comment: 'Alice A,,,',
      home_dir: '/home/alice',
      shell: '/bin/bash',
      groups: ['sudo', 'www-data', 'sudo2'],
    });
    assert.deepEqual(
      (await users(root, 33)).map(({ username }) => username),
      ['www-data', 'alice'],
    );
  });
});

test('accounts as getent tells them', { skip: without('getent', 'id') }, async () => {
  const ours = await users('/');
  const lines = ours.map(({ username, uid, gid, comment, home_dir, shell }) =>
    [username, 'x', uid, gid, comment, home_dir, shell].join(':'),
  );
  const theirs = printed('getent', ['-s', 'passwd:files', 'passwd']).trimEnd().split('\n');
  const masked = theirs.map((line) => line.replace(/^([^:]*):[^:]*:/, '$1:x:'));
  assert.deepEqual(lines.sort(), masked.sort());
  for (const { username, group_name, groups } of ours) {
    const all = printed('id', ['-Gn', username]).trim().split(' ');
    assert.deepEqual([...new Set([group_name, ...groups])].sort(), all.sort(), username);
  }
});
