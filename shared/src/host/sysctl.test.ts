/** Proves the reading of parameter names and the order of the subtree walk. */
import assert from 'node:assert/strict';
import { mkdirSync, symlinkSync } from 'node:fs';
import { join } from 'node:path';
import { test } from 'node:test';
import { failsWith, withTree } from '../testing/context.ts';
import { sysctlKey, walkSysctl } from './sysctl.ts';

test('dots separate unless the first separator is a slash', () => {
  assert.deepEqual(sysctlKey('net.ipv4.ip_forward'), { dotted: 'net.ipv4.ip_forward', path: 'net/ipv4/ip_forward' });
  assert.deepEqual(sysctlKey('net/ipv4/ip_forward'), sysctlKey('net.ipv4.ip_forward'));
  assert.deepEqual(sysctlKey('kernel'), { dotted: 'kernel', path: 'kernel' });
});

test('a dot inside a component has one canonical spelling', () => {
  const expected = { dotted: 'net.ipv4.conf.eth0/100.forwarding', path: 'net/ipv4/conf/eth0.100/forwarding' };
  assert.deepEqual(sysctlKey('net/ipv4/conf/eth0.100/forwarding'), expected);
  assert.deepEqual(sysctlKey('net.ipv4.conf.eth0/100.forwarding'), expected);
  assert.deepEqual(sysctlKey(expected.dotted), expected);
});

test('nothing leads out of the tree', () => {
  const bad = [
    '', '.', '..', '/', 'a..b', 'a.', '.a', '/a', 'a/', 'a//b', 'a/../b', 'a/./b', 'a.//.b', 'a./.b', '../../etc/passwd',
    '/proc/sys/kernel/x', 'kernel.x y', 'kernel.x\n', 'kernel.x\0', 'kernel.é', 'kernel.*', `kernel.${'x'.repeat(600)}`,
  ]; // prettier-ignore
  for (const key of bad) assert.throws(() => sysctlKey(key), failsWith('sysctl_key_invalid', { key }), key);
});

test('a subtree comes out in the order of its dotted names', async () => {
  const files = ['a-c', 'a/b', 'a/z/1', 'a/y.2/x', 'b', 'A', 'a.b'];
  await withTree(Object.fromEntries(files.map((file) => [`proc/sys/${file}`, 'v\n'])), async (root) => {
    symlinkSync('/etc', join(root, 'proc/sys/link'));
    mkdirSync(join(root, 'proc/sys/empty'));
    const keys: string[] = [];
    for await (const entry of walkSysctl(root, '')) keys.push(entry.dotted);
    assert.deepEqual(keys, ['A', 'a-c', 'a.b', 'a.y/2.x', 'a.z.1', 'a/b', 'b']);
    assert.deepEqual(keys, [...keys].sort());
  });
});

test('a directory that cannot be listed is told, not skipped', async () => {
  await withTree({ 'proc/sys/a': 'v\n' }, async (root) => {
    const entries: unknown[] = [];
    for await (const entry of walkSysctl(root, 'missing/one')) entries.push(entry);
    assert.deepEqual(entries, [{ dotted: 'missing.one', path: 'missing/one', directory: true }]);
  });
});
