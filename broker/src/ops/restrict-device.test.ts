/** Proves on which disks a grant holds. */
import assert from 'node:assert/strict';
import { test } from 'node:test';
import { findDiskNode } from '@steward/shared/host/disk-node.ts';
import { disksHealth } from '@steward/shared/ops/disks/health.ts';
import { failsWith, testContext } from '@steward/shared/testing/context.ts';
import { byDevice } from './restrict-device.ts';

const DEVICE = ['vda', 'sda', 'nvme0n1', 'loop0', 'ram0', 'zram0'].find((name) => {
  try {
    return findDiskNode('/', name) !== '';
  } catch {
    return false;
  }
});

function decide(device: string, devices?: readonly string[]) {
  const grant = { allowed: true, line: 1, ...(devices === undefined ? {} : { devices }) };
  const { guard } = testContext();
  return byDevice.decide({ args: { device }, grant, user: 'ops', op: disksHealth, tool: 'disks/health', guard });
}

test('names by globs', { skip: DEVICE === undefined && 'no block device has a node here' }, () => {
  const name = DEVICE ?? '';
  assert.deepEqual(decide(name), { object: `/dev/${name}`, rule: 'devices: any' });
  assert.equal(decide(name, ['xx*', `${name.slice(0, 2)}*`]).rule, `devices: ${name.slice(0, 2)}*`);
  assert.throws(() => decide(name, []), failsWith('device_restricted', { device: name }));
  assert.throws(() => decide(name, [name.slice(0, -1), `/dev/${name}`]), failsWith('device_restricted'));
});

test('what is no disk is refused before the grant is looked at', () => {
  assert.throws(() => decide('/dev/sda', ['*']), failsWith('device_name_invalid'));
  assert.throws(() => decide('-a', ['*']), failsWith('device_name_invalid'));
  assert.throws(() => decide('null', ['*']), failsWith('no_such_device'));
});
