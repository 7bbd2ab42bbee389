/** Proves where the names of the host come from. */
import assert from 'node:assert/strict';
import { machine } from 'node:os';
import { test } from 'node:test';
import { failsWith, testContext, withTree } from '../../testing/context.ts';
import { systemHostname } from './hostname.ts';
import { systemRelease } from './release.ts';
import { systemUname } from './uname.ts';

const KERNEL = {
  'proc/sys/kernel/ostype': 'Linux\n',
  'proc/sys/kernel/hostname': 'web1\n',
  'proc/sys/kernel/osrelease': '6.1.0\n',
  'proc/sys/kernel/version': '#1 SMP\n',
};

test('uname and host name', async () => {
  await withTree(KERNEL, async (root) => {
    const expected = { sysname: 'Linux', nodename: 'web1', release: '6.1.0', version: '#1 SMP', machine: machine() };
    assert.deepEqual(await systemUname.run({}, testContext({ root })), expected);
    assert.equal(await systemHostname.run({}, testContext({ root })), 'web1');
  });
});

test('os-release as it is, from /etc before /usr/lib', async () => {
  const both = { 'etc/os-release': 'ID=etc\n', 'usr/lib/os-release': 'ID=usr\n' };
  await withTree(both, async (root) => {
    assert.equal(await systemRelease.run({}, testContext({ root })), 'ID=etc\n');
  });
  await withTree({ 'usr/lib/os-release': 'ID=usr\n' }, async (root) => {
    assert.equal(await systemRelease.run({}, testContext({ root })), 'ID=usr\n');
  });
  await withTree({}, async (root) => {
    await assert.rejects(
      systemRelease.run({}, testContext({ root })),
      failsWith('read_os_release', { reason: 'no such file or directory' }),
    );
  });
});
