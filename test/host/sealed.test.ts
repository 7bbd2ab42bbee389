/**
 * The broker under the sealed profile that stewardctl makes of the grants: what they named works, and what a later grant adds is
 * refused by the kernel until the profile is made again.
 */
import assert from 'node:assert/strict';
import { test } from 'node:test';
import { bootedHost } from '../support/host/suite.ts';
import { install, output } from '../support/inside/inside.ts';

const TOOLS = ['files/create', 'files/update', 'files/chmod', 'files/chown'];
const grants = (paths: string, keys: string): string =>
  `  ops:\n    tools:\n${TOOLS.map((tool) => `      ${tool}: {allowed: true, paths: [${paths}]}\n`).join('')}` +
  `      files/read: {allowed: true, paths: [/etc]}\n      kernel/system-control: {allowed: true, sysctl: {write_keys: [${keys}]}}\n` +
  '      daemon/reload-config: {allowed: true}\n';

const host = bootedHost({
  grants: grants('/srv/x', 'kernel.hostname'),
  sealed: true,
  prepare: async (inside) => void (await output(inside, 'mkdir', '-p', '/srv/x', '/srv/y')),
});
const { skip } = host;

async function call(tool: string, args: Record<string, unknown>): Promise<{ text: string; isError: boolean }> {
  return (await host.as('ops')).call(tool, { privileged: true, ...args });
}

test('what the grants name works under the profile', { skip }, async () => {
  const created = await call('files/create', { path: '/srv/x/a', content: 'one\n' });
  assert.equal(created.isError, false, created.text);
  // Larger than what is kept in memory.
  const large = await call('files/create', { path: '/srv/x/large', content: 'x'.repeat(3 << 20) });
  assert.equal(large.isError, false, large.text);
  for (const [tool, more] of [
    ['files/update', { append: true, content: 'two\n' }],
    ['files/chmod', { mode: '600' }],
    ['files/chown', { owner: 'nobody' }],
  ] as const) {
    const { text, isError } = await call(tool, { path: '/srv/x/a', ...more });
    assert.equal(isError, false, `${tool}: ${text}`);
  }
  assert.equal(await output(host, 'stat', '-c', '%a %U %s', '/srv/x/a'), '600 nobody 8');
  assert.equal((await call('files/read', { path: '/etc/shadow' })).isError, false);
  const name = await output(host, 'cat', '/proc/sys/kernel/hostname');
  const written = await call('kernel/system-control', { key: 'kernel.hostname', value: name });
  assert.equal(written.isError, false, written.text);
});

// abuse 86: frontend
test('the kernel refuses what a later grant adds, and the tool says so', { skip }, async () => {
  const later = `version: 1\nusers:\n${grants('/srv/x, /srv/y, /etc/motd.d', 'kernel.hostname, kernel.domainname')}`;
  await install(host, '/etc/steward/grants.yaml', later, '600');
  const reloaded = await call('daemon/reload-config', {});
  assert.equal(reloaded.isError, false, reloaded.text);
  await output(host, 'touch', '/srv/y/there');
  for (const [tool, args] of [
    ['files/create', { path: '/srv/y/a', content: 'one\n' }],
    ['files/update', { path: '/srv/y/there', append: true, content: 'x' }],
    ['files/chmod', { path: '/srv/y/there', mode: '600' }],
    ['files/chown', { path: '/srv/y/there', owner: 'nobody' }],
    ['kernel/system-control', { key: 'kernel.domainname', value: 'x' }],
  ] as const) {
    const { text, isError } = await call(tool, args);
    assert.equal(isError, true, tool);
    assert.match(text, /read-only file system/i, tool);
  }
  assert.equal(await output(host, 'ls', '/srv/y'), 'there');
  assert.equal(await output(host, 'stat', '-c', '%a %U %s', '/srv/y/there'), '644 root 0');
});

test('root as the broker has it cannot write elsewhere, execute, mount or open a network socket', { skip }, async () => {
  const [pid = ''] = (await output(host, 'pgrep', '-f', '^steward-broker')).split('\n');
  const mounts = await output(host, 'cat', `/proc/${pid}/mountinfo`);
  const optionsOf = (path: string): string =>
    mounts
      .split('\n')
      .findLast((line) => line.split(' ')[4] === path)
      ?.split(' ')[5] ?? '';
  assert.match(optionsOf('/'), /^ro,.*noexec|^ro,noexec/, mounts);
  assert.match(optionsOf('/srv/x'), /^rw/);
  assert.match(optionsOf('/proc/sys'), /^ro/);
  assert.match(optionsOf('/proc/sys/kernel/hostname'), /^rw/);
  const status = await output(host, 'cat', `/proc/${pid}/status`);
  assert.match(status, /^NoNewPrivs:\t1$/m);
  assert.match(status, /^Seccomp:\t2$/m);
  // Nobody was granted the kernel's messages: CAP_SYSLOG (34) is gone, SYS_ADMIN (21) never was there.
  const bounds = BigInt(`0x${/^CapBnd:\t(\w+)$/m.exec(status)?.[1] ?? 'f'}`);
  assert.deepEqual([(bounds >> 34n) & 1n, (bounds >> 21n) & 1n, bounds & 1n], [0n, 0n, 1n]);
});
