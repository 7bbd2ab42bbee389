/** Proves the reading of the kernel's hexadecimal addresses on machines of either byte order, and their plain spelling. */
import assert from 'node:assert/strict';
import { test } from 'node:test';
import { formatIpv6, ipv4FromKernel, ipv6FromKernel, maskBits } from './addresses.ts';

test('IPv4 in both byte orders', () => {
  assert.equal(ipv4FromKernel('0100007F', 'LE'), '127.0.0.1');
  assert.equal(ipv4FromKernel('7F000001', 'BE'), '127.0.0.1');
  assert.equal(ipv4FromKernel('010200C0', 'LE'), '192.0.2.1');
});

test('IPv6: four words, each in the byte order of the machine', () => {
  assert.equal(ipv6FromKernel('00000000000000000000000001000000', 'LE'), '::1');
  assert.equal(ipv6FromKernel('00000000000000000000000000000001', 'BE'), '::1');
  assert.equal(ipv6FromKernel('B80D0120000000000000000005000000', 'LE'), '2001:db8::5');
  assert.equal(ipv6FromKernel('0000000000000000FFFF00000100007F', 'LE'), '::ffff:127.0.0.1');
  assert.equal(ipv6FromKernel('fe8000000000000000fc00fffe000001', 'BE'), 'fe80::fc:ff:fe00:1');
});

test('spelling of RFC 5952', () => {
  const cases: readonly (readonly [string, readonly number[]])[] = [
    ['::', [0, 0, 0, 0, 0, 0, 0, 0]],
    ['1::', [1, 0, 0, 0, 0, 0, 0, 0]],
    ['2001:db8:0:1:1:1:1:1', [0x2001, 0xdb8, 0, 1, 1, 1, 1, 1]],
    ['2001:db8::1:0:0:1', [0x2001, 0xdb8, 0, 0, 1, 0, 0, 1]],
    ['2001:0:0:1::1', [0x2001, 0, 0, 1, 0, 0, 0, 1]],
    ['1:2:3:4:5:6:7:8', [1, 2, 3, 4, 5, 6, 7, 8]],
  ];
  for (const [text, groups] of cases) assert.equal(formatIpv6(groups), text);
});

test('netmasks, whatever the byte order', () => {
  assert.deepEqual(['00000000', '00FFFFFF', 'FFFFFF00', 'FFFFFFFF', '000000FE'].map(maskBits), [0, 24, 24, 32, 7]);
});
