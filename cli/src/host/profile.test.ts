/** The sealed profile: what of the grants the kernel is told. */
import assert from 'node:assert/strict';
import { mkdirSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { test } from 'node:test';
import { directoryFor, run } from '../testing/host.ts';

async function profileFor(context: { after(fn: () => void): void }, grants: string, directory = directoryFor(context)) {
  writeFileSync(join(directory, 'grants.yaml'), `version: 1\nusers:\n  alice:\n    tools:\n${grants}`, { mode: 0o600 });
  const { exit, out, err } = await run(directory, 'grants', 'profile');
  assert.deepEqual([exit, err], [0, '']);
  return out.split('\n').filter((line) => line !== '' && !line.startsWith('#'));
}

test('granted directories are writable, of files what they are in; reads are not', async (context) => {
  const directory = directoryFor(context);
  mkdirSync(join(directory, 'web'));
  writeFileSync(join(directory, 'web/one.conf'), '');
  const lines = await profileFor(
    context,
    `      files/create: {allowed: true, paths: [/srv/x, "/srv/a b%c"]}\n` +
      `      files/update: {allowed: true, paths: [${directory}/web/one.conf]}\n` +
      `      files/chmod: {allowed: false, paths: [/srv/no]}\n      files/read: {allowed: true, paths: [/etc]}\n`,
    directory,
  );
  const writes = lines.filter((line) => line.startsWith('ReadWritePaths='));
  assert.ok(lines.includes('ProtectSystem=strict'));
  for (const path of ['-/srv/x', '-/srv/a b%%c', `-${directory}/web`, `-${directory}/audit`, '-/var/lib/steward'])
    assert.ok(writes.includes(`ReadWritePaths="${path}"`), `${path} in ${writes.join(' ')}`);
  assert.ok(!writes.some((line) => /srv\/no|\/etc"|one\.conf/.test(line)), writes.join(' '));
});

test('kernel parameters by name, patterns by what is before the first wildcard', async (context) => {
  const lines = await profileFor(
    context,
    '      kernel/system-control: {allowed: true, sysctl: {write_keys: [vm.swappiness, net.ipv4.conf.*.forwarding, net.ipv4.conf.eth0/1.forwarding]}}\n',
  );
  assert.ok(lines.includes('ReadOnlyPaths=/proc/sys'));
  assert.deepEqual(
    lines.filter((line) => line.includes('"-/proc/sys')),
    ['net/ipv4/conf', 'net/ipv4/conf/eth0.1/forwarding', 'vm/swappiness'].map((key) => `ReadWritePaths="-/proc/sys/${key}"`),
  );
});

test('temporary files, homes, kernel messages and crontabs are closed unless somebody was granted them', async (context) => {
  const none = await profileFor(context, '      files/read: {allowed: true, paths: [/srv]}\n');
  for (const line of ['PrivateTmp=yes', 'ProtectHome=yes', 'ProtectKernelLogs=yes', 'CapabilityBoundingSet=~CAP_SYSLOG'])
    assert.ok(none.includes(line), line);
  assert.ok(!none.some((line) => line.includes('/var/spool/cron')));
  const all = await profileFor(
    context,
    '      files/read: {allowed: true, paths: [/]}\n      logs/dmesg: {allowed: true}\n      cron/manage: {allowed: true, users: {bin: {view: true}}}\n',
  );
  assert.ok(all.includes('ReadWritePaths=/var/tmp') && all.includes('ProtectHome=read-only'));
  assert.ok(all.includes('ReadWritePaths="-/var/spool/cron"'));
  assert.ok(!all.some((line) => /PrivateTmp|KernelLogs|SYSLOG/.test(line)));
});
