/** Proves the reading of the ARP cache, on a fixture and against arp(8). */
import assert from 'node:assert/strict';
import { execFileSync } from 'node:child_process';
import { existsSync } from 'node:fs';
import { test } from 'node:test';
import { failsWith, testContext, withTree } from '../../testing/context.ts';
import { networkArp } from './arp.ts';

const ARP = `IP address       HW type     Flags       HW address            Mask     Device
192.0.2.1        0x1         0x2         02:fc:00:00:00:05     *        eth0
10.20.130.240    0x1         0x0         00:00:00:00:00:00     *        br-lan
10.0.0.9         0x1         0x6         52:54:00:aa:bb:cc     *        eth0
`;

test('entries in the order of the kernel, of one interface on request', async () => {
  await withTree({ 'proc/net/arp': ARP }, async (root) => {
    const all = await networkArp.run({}, testContext({ root }));
    assert.deepEqual(
      all.map(({ ip_address }) => ip_address),
      ['192.0.2.1', '10.20.130.240', '10.0.0.9'],
    );
    const mac = { hw_address: '00:00:00:00:00:00', mask: '*', device: 'br-lan' };
    assert.deepEqual(all[1], { ip_address: '10.20.130.240', hw_type: '0x1', flags: '0x0', ...mac });
    assert.equal((await networkArp.run({ interface: 'eth0' }, testContext({ root }))).length, 2);
    assert.deepEqual(await networkArp.run({ interface: 'eth' }, testContext({ root })), []);
  });
});

test('a kernel without the file', async () => {
  await withTree({ 'proc/x': '' }, async (root) => {
    await assert.rejects(networkArp.run({}, testContext({ root })), failsWith('read_system', { path: '/proc/net/arp' }));
  });
});

const ARP_PROGRAM = ['/usr/sbin/arp', '/sbin/arp'].find(existsSync);
test('the same neighbours as arp -n', { skip: ARP_PROGRAM === undefined && 'arp is not installed' }, async () => {
  const printed = execFileSync(ARP_PROGRAM ?? '', ['-n', '-H', 'ether'], { encoding: 'utf8' })
    .split('\n')
    .slice(1);
  const known = printed.filter((line) => line.includes(' ether ')).map((line) => line.split(/\s+/));
  const seen = await networkArp.run({}, testContext());
  for (const [address, , hardware] of known) {
    assert.ok(
      seen.some((entry) => entry.ip_address === address && entry.hw_address === hardware),
      String(address),
    );
  }
  assert.equal(seen.filter(({ flags }) => flags !== '0x0').length, known.length);
});
