/** Proves the views on block devices on a fixture of a server: tree, partitions, mounts and counters. */
import assert from 'node:assert/strict';
import { test } from 'node:test';
import { BLOCK_DEVICES } from '../../fixtures/block-devices.ts';
import { failsWith, testContext } from '../../testing/context.ts';
import { withFixture } from '../../testing/fixture.ts';
import { disksList, type BlockDeviceRecord } from './list.ts';
import { disksMounts, type MountRecord } from './mounts.ts';
import { disksPartitions, type PartitionRecord } from './partitions.ts';
import { disksPerformance } from './performance.ts';
import type { DiskStats } from '../../host/diskstats.ts';

async function list(all: boolean, fixture = BLOCK_DEVICES): Promise<BlockDeviceRecord[]> {
  return withFixture(fixture, async (root) => {
    const context = testContext<BlockDeviceRecord>({ root });
    await disksList.run({ all }, context);
    return context.records;
  });
}

/** One line per device: its depth as dots, name, type, mount points. */
function outline(devices: readonly BlockDeviceRecord[], depth = ''): string[] {
  return devices.flatMap(({ name, type, mountpoints, children }) => [
    `${depth}${name} ${type}${mountpoints.map((point) => ` ${JSON.stringify(point)}`).join('')}`,
    ...outline(children, `${depth}.`),
  ]);
}

test('devices as a tree: what stands on two others comes below both', async () => {
  assert.deepEqual(outline(await list(false)), [
    'loop0 loop "/snap/core/1"',
    'sda disk',
    '.sda1 part "/boot"',
    '.sda2 part',
    '..md0 raid1',
    '...vg0-root lvm "/"',
    '...vg0-swap lvm "[SWAP]"',
    '.sda10 part',
    'sdb disk',
    '.sdb2 part',
    '..md0 raid1',
    '...vg0-root lvm "/"',
    '...vg0-swap lvm "[SWAP]"',
    'sdc disk',
    '.mpatha mpath',
    '..mpatha-part1 part',
    'sdd disk',
    '.mpatha mpath',
    '..mpatha-part1 part',
    'sr0 rom',
    'cciss/c0d0 disk',
    '.cciss/c0d0p1 part "/old"',
    'zram0 disk "[SWAP]"',
    'nvme0n1 disk',
    '.nvme0n1p1 part',
    '..luks-home crypt "/home" "/srv/a b\\\\c"',
    '.nvme0n1p2 part "/data"',
  ]);
});

test('empty devices and RAM disks only on demand; a hidden path never', async () => {
  const names = (await list(true)).map(({ name }) => name);
  assert.deepEqual(names.slice(0, 4), ['ram0', 'loop0', 'loop1', 'sda']);
  assert.ok(!names.includes('nvme0c0n1'));
});

test('the members of a record', async () => {
  const devices = await list(false);
  const root = devices[1]?.children[1]?.children[0]?.children[0];
  assert.deepEqual(root, {
    name: 'vg0-root',
    kname: 'dm-0',
    'maj:min': '253:0',
    rm: false,
    size: '21474836480',
    size_bytes: 21_474_836_480,
    ro: false,
    type: 'lvm',
    mountpoints: ['/'],
    children: [],
  });
  const drive = devices.find(({ name }) => name === 'sr0');
  assert.deepEqual([drive?.rm, drive?.ro], [true, true]);
});

test('a device whose base is not shown is a tree of its own', async () => {
  const onRam = `${BLOCK_DEVICES}\nsys/devices/virtual/block/ram0/holders/dm-9/
sys/class/block/dm-9 -> ../../devices/virtual/block/dm-9
sys/devices/virtual/block/dm-9/dev = 253:9
sys/devices/virtual/block/dm-9/size = 8192
sys/devices/virtual/block/dm-9/dm/uuid = whatever
sys/devices/virtual/block/dm-9/dm/name = odd`;
  const odd = (devices: readonly BlockDeviceRecord[]) => outline(devices).filter((line) => line.includes('odd'));
  assert.deepEqual(odd(await list(false, onRam)), ['odd dm']);
  assert.deepEqual(odd(await list(true, onRam)), ['.odd dm']);
});

test('a host without block devices', async () => {
  assert.deepEqual(await list(false, 'proc/self/mountinfo = '), []);
});

async function partitions(device?: string): Promise<PartitionRecord[]> {
  return withFixture(BLOCK_DEVICES, async (root) => {
    const context = testContext<PartitionRecord>({ root });
    await disksPartitions.run(device === undefined ? {} : { device }, context);
    return context.records;
  });
}

test('partitions of one disk and of all', async () => {
  assert.deepEqual(await partitions('cciss/c0d0'), [
    {
      device: 'cciss/c0d0p1',
      parent_disk: 'cciss/c0d0',
      number: 1,
      start_sector: 2048,
      size_sectors: 143_303_872,
      size_bytes: 73_371_582_464,
    },
  ]);
  assert.deepEqual(
    (await partitions('sda')).map(({ device, number }) => `${device} ${String(number)}`),
    ['sda1 1', 'sda2 2', 'sda10 10'],
  );
  assert.equal((await partitions()).length, 7);
  assert.equal((await partitions('')).length, 7);
  for (const device of ['sda1', 'sdc', 'nothing', '../sda']) {
    await assert.rejects(partitions(device), failsWith('no_partitions', { device }));
  }
  assert.deepEqual(await withFixture('proc/', async (root) => disksPartitions.run({}, testContext({ root }))), {});
});

async function mounts(fs_type?: string, fixture = BLOCK_DEVICES): Promise<MountRecord[]> {
  return withFixture(fixture, async (root) => {
    const context = testContext<MountRecord>({ root });
    await disksMounts.run(fs_type === undefined ? {} : { fs_type }, context);
    return context.records;
  });
}

test('mounts by mount point, escapes decoded, options of mount and file system together', async () => {
  const all = await mounts();
  assert.deepEqual(
    all.map(({ mount_point: point }) => point),
    [
      '/',
      '/boot',
      '/data',
      '/data',
      '/home',
      '/mnt/new\nline\ttab',
      '/mnt/\ufffdt\ufffd',
      '/old',
      '/proc',
      '/snap/core/1',
      '/srv/a b\\c',
    ],
  );
  const [root, boot, data, over] = all;
  assert.deepEqual(root, {
    device: '/dev/mapper/vg0-root',
    mount_point: '/',
    fs_type: 'ext4',
    options: 'rw,relatime,errors=remount-ro',
  });
  assert.equal(boot?.options, 'ro,relatime,stripe=4');
  assert.deepEqual([data?.fs_type, over?.fs_type], ['btrfs', 'tmpfs']);
  assert.equal(all[6]?.path_base64, Buffer.from('/mnt/\xe9t\xe9', 'latin1').toString('base64'));
});

test('the type of file system is exact', async () => {
  assert.deepEqual(
    (await mounts('ext4')).map(({ mount_point: point }) => point),
    ['/'],
  );
  assert.deepEqual(await mounts('ext'), []);
});

test('the own view where that of init cannot be read, and no view at all', async () => {
  const own = 'proc/self/mountinfo = 22 1 8:1 / / rw - ext4 /dev/sda1 rw\nproc/1/other = ';
  assert.deepEqual(
    (await mounts(undefined, own)).map(({ device }) => device),
    ['/dev/sda1'],
  );
  await assert.rejects(mounts(undefined, 'proc/'), failsWith('read_system', { path: '/proc/self/mountinfo' }));
});

const DISKSTATS = `proc/diskstats <<
   7       0 loop0 45 0 2196 11 0 0 0 0 0 20 11 0 0 0 0 0 0
   8       0 sda 101870 19310 4576610 49099 91922 72259 3379088 28035 3 18016 80943 20810 50 683224 2220 21918 1587
   8       1 sda1 5 6 7 8 9 10 11 12 13 14 15
   1       0 ram0 0 0 0 0 0 0 0 0 0 0 0
   8       2 old 1 2 3 4
>>`;

async function performance(device?: string): Promise<DiskStats[]> {
  return withFixture(DISKSTATS, async (root) => {
    const context = testContext<DiskStats>({ root });
    await disksPerformance.run(device === undefined ? {} : { device }, context);
    return context.records;
  });
}

test('counters by device', async () => {
  assert.deepEqual(
    (await performance()).map((stats) => stats.device_name),
    ['sda', 'sda1'],
  );
  assert.deepEqual(await performance('sda1'), [
    {
      major: 8,
      minor: 1,
      device_name: 'sda1',
      reads_completed: 5,
      reads_merged: 6,
      sectors_read: 7,
      time_reading_ms: 8,
      writes_completed: 9,
      writes_merged: 10,
      sectors_written: 11,
      time_writing_ms: 12,
      ios_in_progress: 13,
      time_doing_ios_ms: 14,
      weighted_time_ios_ms: 15,
    },
  ]);
  assert.equal((await performance('loop0')).length, 1);
  await assert.rejects(performance('sdz'), failsWith('no_such_device', { device: 'sdz' }));
});
