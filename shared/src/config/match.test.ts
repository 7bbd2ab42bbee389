/** Prefixes, globs and networks: what they cover and, above all, what they do not. */
import assert from 'node:assert/strict';
import { test } from 'node:test';
import { coveringKey, dottedGlob, isGlob, simpleGlob, underPath } from './match.ts';
import { addressPermitted, cidrContains, isLoopback, parseCidr, parseListen } from './network.ts';

test('prefixes cover whole components', () => {
  const cases: [string, string, boolean][] = [
    ['/var/log', '/var/log', true],
    ['/var/log', '/var/log/x/y', true],
    ['/var/log', '/var/logs', false],
    ['/var/log', '/var', false],
    ['/', '/etc', true],
    ['/', '/', true],
    ['var', 'var/x', false],
    ['/var', 'relative', false],
    ['', '/x', false],
  ];
  for (const [prefix, path, expected] of cases) assert.equal(underPath(prefix, path), expected, `${prefix} ${path}`);
});

test('globs are anchored and case-sensitive', () => {
  const cases: [string, string, boolean][] = [
    ['nginx.service', 'nginx.service', true],
    ['nginx.service', 'nginxXservice', false],
    ['app@*.service', 'app@a.b.service', true],
    ['app@*.service', 'xapp@a.service', false],
    ['sd?', 'sda', true],
    ['sd?', 'sd', false],
    ['sd[a-c]', 'sdb', true],
    ['sd[a-c]', 'sdd', false],
    ['sd[!a]', 'sdb', true],
    ['sd[!a]', 'sda', false],
    ['x[]]y', 'x]y', true],
    ['x[a-]y', 'x-y', true],
    ['*', '', true],
    ['**a', 'bca', true],
    ['Web', 'web', false],
    ['a*b*c', 'aXbYbZc', true],
    ['a*b*c', 'aXbYbZ', false],
    ['?', '\u{1f600}', true],
    ['a[b', 'a[b', false],
  ];
  for (const [glob, name, expected] of cases) assert.equal(simpleGlob(glob, name), expected, `${glob} ${name}`);
  for (const bad of ['', 'a[', '[', '[]', '[!]', '[c-a]', 'x'.repeat(256), 'a\nb']) assert.equal(isGlob(bad), false, bad);
});

test('a glob of many stars is judged in short time', () => {
  const begun = performance.now();
  assert.equal(simpleGlob(`${'*a'.repeat(100)}b`, 'a'.repeat(5000)), false);
  assert.ok(performance.now() - begun < 1000);
});

test('dotted globs stay in their components', () => {
  assert.equal(dottedGlob('net.ipv4.*', 'net.ipv4.ip_forward'), true);
  assert.equal(dottedGlob('net.*', 'net.ipv4.ip_forward'), false);
  assert.equal(dottedGlob('net.*.conf', 'net.ipv4.conf'), true);
  assert.equal(dottedGlob('vm.*', 'vm.'), true);
  assert.equal(dottedGlob('*', 'vm.swappiness'), false);
});

test('keys that lead to root are reached only by their exact name', () => {
  assert.equal(coveringKey(['vm.*'], 'vm.swappiness'), 'vm.*');
  assert.equal(coveringKey(['kernel.*'], 'kernel.core_pattern'), undefined);
  assert.equal(coveringKey(['kernel.core_patter?', 'kernel.core_pattern'], 'kernel.core_pattern'), 'kernel.core_pattern');
  assert.equal(coveringKey(['kernel.usermodehelper.*'], 'kernel.usermodehelper.bset'), undefined);
  assert.equal(coveringKey(['fs.binfmt_misc.*', 'fs.*.register'], 'fs.binfmt_misc.register'), undefined);
  assert.equal(coveringKey([], 'vm.swappiness'), undefined);
});

test('networks are compared as numbers', () => {
  const cases: [string, string, boolean][] = [
    ['10.0.0.0/8', '10.255.0.1', true],
    ['10.0.0.0/8', '11.0.0.1', false],
    ['10.0.0.0/8', '::ffff:10.1.2.3', true],
    ['10.0.0.0/8', '::ffff:a01:203', true],
    ['::ffff:10.0.0.0/104', '10.1.2.3', true],
    ['::/0', '10.1.2.3', true],
    ['0.0.0.0/0', '2001:db8::1', false],
    ['2001:db8::/32', '2001:DB8:ffff::1', true],
    ['2001:db8::/33', '2001:db8:8000::1', false],
    ['fe80::/10', 'fe80::1%eth0', true],
    ['::1/128', '0:0:0:0:0:0:0:1', true],
    ['192.0.2.10/32', '192.0.2.11', false],
    ['192.0.2.10/32', 'nonsense', false],
  ];
  for (const [cidr, address, expected] of cases) assert.equal(cidrContains(cidr, address), expected, `${cidr} ${address}`);
  for (const bad of ['10.0.0.0', '10.0.0.0/33', '10.0.0/8', '::/129', '10.0.0.0/08', '1.2.3.4/-1', 'fe80::%1/10', '']) {
    assert.equal(parseCidr(bad), undefined, bad);
  }
  assert.equal(addressPermitted(undefined, '192.0.2.1'), true);
  assert.equal(addressPermitted([], '192.0.2.1'), false);
  assert.ok(isLoopback('127.9.9.9') && isLoopback('::1') && isLoopback('::ffff:127.0.0.1') && !isLoopback('::2'));
  assert.deepEqual(parseListen('[::1]:80'), { address: '::1', port: 80 });
  for (const bad of ['[127.0.0.1]:80', '::1:80', '127.0.0.1', '127.0.0.1:080', 'x:80'])
    assert.equal(parseListen(bad), undefined, bad);
});
