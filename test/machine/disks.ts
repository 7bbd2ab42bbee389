/** Real block devices: a partitioned disk with a file system and swap, an NVMe disk, their health; compared with lsblk, sfdisk, smartctl. */
import assert from 'node:assert/strict';
import { test } from 'node:test';
import { type Inside, output } from '../support/inside/inside.ts';
import type { Suite } from '../support/inside/suite.ts';

const MOUNT = '/srv/my data';
const LAYOUT = 'label: gpt\nsize=64M, type=swap\nsize=96M, type=linux\nsize=16M\n';

/** Partitions the AHCI disk, mounts its second partition and swaps on its first. */
export async function prepareDisks(inside: Inside): Promise<void> {
  const { status, stderr } = await inside.run(['sfdisk', '--quiet', '/dev/sda'], LAYOUT);
  assert.equal(status, 0, stderr);
  await output(inside, 'udevadm', 'settle');
  await output(inside, 'mkswap', '/dev/sda1');
  await output(inside, 'swapon', '/dev/sda1');
  await output(inside, 'mke2fs', '-q', '-t', 'ext4', '/dev/sda2');
  await output(inside, 'mkdir', '-p', MOUNT);
  await output(inside, 'mount', '/dev/sda2', MOUNT);
}

/** As lsblk prints it; sizes with --bytes are numbers, and no mount point is [null]. */
interface LsblkDevice {
  readonly name: string;
  readonly kname: string;
  readonly 'maj:min': string;
  readonly rm: boolean;
  readonly size: number;
  readonly ro: boolean;
  readonly type: string;
  readonly mountpoints: readonly (string | null)[];
  readonly children?: readonly LsblkDevice[];
}

interface Device extends Omit<LsblkDevice, 'size' | 'mountpoints' | 'children'> {
  readonly size_bytes: number;
  readonly mountpoints: readonly string[];
  readonly children: readonly Device[];
}

const byName = (a: { name: string }, b: { name: string }): number => (a.name < b.name ? -1 : 1);

function fromLsblk({ name, kname, rm, size, ro, type, mountpoints, children = [], ...rest }: LsblkDevice): object {
  const points = mountpoints.filter((point) => point !== null).sort();
  const below = [...children].sort(byName).map(fromLsblk);
  return {
    name,
    kname,
    'maj:min': rest['maj:min'],
    rm,
    size: String(size),
    size_bytes: size,
    ro,
    type,
    mountpoints: points,
    children: below,
  };
}

function inOrder(device: Device): object {
  return { ...device, mountpoints: [...device.mountpoints].sort(), children: [...device.children].sort(byName).map(inOrder) };
}

export function diskTests(machine: Suite): void {
  const { skip } = machine;

  async function json<T>(tool: string, args: object = {}, user = 'guest'): Promise<T> {
    const answer = await (await machine.as(user)).call(tool, { output_format: 'json', ...args });
    assert.equal(answer.isError, false, answer.text);
    return JSON.parse(answer.text) as T;
  }

  test('disks/list is the tree of lsblk', { skip }, async () => {
    const { blockdevices } = await json<{ blockdevices: Device[] }>('disks/list');
    const columns = 'NAME,KNAME,MAJ:MIN,RM,SIZE,RO,TYPE,MOUNTPOINTS';
    const truth = JSON.parse(await output(machine, 'lsblk', '--json', '--bytes', '--output', columns)) as {
      blockdevices: LsblkDevice[];
    };
    assert.deepEqual([...blockdevices].sort(byName).map(inOrder), [...truth.blockdevices].sort(byName).map(fromLsblk));
    const [swap, data] = blockdevices.find(({ name }) => name === 'sda')?.children ?? [];
    assert.deepEqual([swap?.mountpoints, data?.mountpoints], [['[SWAP]'], [MOUNT]]);
  });

  test('disks/list in text has children below their parents', { skip }, async () => {
    const { text } = await (await machine.as('guest')).call('disks/list', { human_readable: true });
    const lines = text.split('\n');
    assert.equal(lines[0], 'BLOCKDEVICES');
    assert.match(lines[1] ?? '', /^NAME +KNAME +MAJ:MIN +RM +SIZE +SIZE_BYTES +RO +TYPE +MOUNTPOINTS$/);
    const at = lines.findIndex((line) => line.startsWith('sda '));
    assert.match(lines[at + 1] ?? '', /^├─sda1 +sda1 +8:1 +0 +64M +67108864 +0 +part +\[SWAP\]$/);
    assert.match(lines[at + 2] ?? '', /^├─sda2 +sda2 +8:2 +0 +96M +100663296 +0 +part +\/srv\/my data$/);
    assert.match(lines[at + 3] ?? '', /^└─sda3 +sda3 +8:3 +0 +16M +16777216 +0 +part +-$/);
  });

  test('disks/partitions is the table of sfdisk', { skip }, async () => {
    const truth = JSON.parse(await output(machine, 'sfdisk', '--json', '/dev/sda')) as {
      partitiontable: { partitions: { node: string; start: number; size: number }[] };
    };
    const expected = truth.partitiontable.partitions.map(({ node, start, size }, index) => ({
      device: node.slice('/dev/'.length),
      parent_disk: 'sda',
      number: index + 1,
      start_sector: start,
      size_sectors: size,
      size_bytes: size * 512,
    }));
    assert.equal(expected.length, 3);
    assert.deepEqual(await json('disks/partitions', { device: 'sda' }), expected);
    const none = await (await machine.as('guest')).call('disks/partitions', { device: 'nvme0n1' });
    assert.equal(none.text, 'no partitions found for device "nvme0n1" (check disks/list for valid device names)');
  });

  test('disks/mounts and disks/free know the mounted partition', { skip }, async () => {
    const mounts = await json<{ mount_point: string }[]>('disks/mounts', { fs_type: 'ext4' });
    const [target, source, options] = ['TARGET', 'SOURCE', 'OPTIONS'].map((column) =>
      output(machine, 'findmnt', '--noheadings', '--raw', '--output', column, '/dev/sda2'),
    );
    assert.equal(await target, MOUNT.replace(' ', '\\x20'));
    assert.deepEqual(
      mounts.find(({ mount_point }) => mount_point === MOUNT),
      { device: await source, mount_point: MOUNT, fs_type: 'ext4', options: await options },
    );
    const free = await json<Record<string, number>>('disks/free', { path: MOUNT });
    const df = (await output(machine, 'df', '--block-size=1', '--output=size,avail', MOUNT)).split('\n')[1] ?? '';
    assert.deepEqual([free['total_bytes'], free['free_bytes']], df.trim().split(/\s+/).map(Number));
  });

  test('disks/performance has the counters of the kernel', { skip }, async () => {
    const [sda] = await json<Record<string, unknown>[]>('disks/performance', { device: 'sda' });
    const row = (await output(machine, 'cat', '/proc/diskstats')).split('\n').find((line) => / sda /.test(line)) ?? '';
    assert.deepEqual(Object.values(sda ?? {}).map(String), row.trim().split(/\s+/).slice(0, 14));
    const stats = JSON.parse(await machine.resource('guest', 'disks://sda/stats')) as object;
    assert.deepEqual(Object.keys(stats), Object.keys(sda ?? {}));
  });

  for (const [device, protocol, serial] of [
    ['nvme0n1', 'NVMe', 'NV-0001'],
    ['sda', 'ATA', 'AH-0001'],
  ] as const) {
    test(`disks/health of ${device} is what smartctl prints`, { skip }, async () => {
      const answer = await (await machine.as('ops')).call('disks/health', { device, privileged: true });
      assert.equal(answer.isError, false, answer.text);
      const found = JSON.parse(answer.text) as Health;
      const { stdout } = await machine.run(['smartctl', '-j', '-a', '--', `/dev/${device}`]);
      assert.deepEqual(steady(found), steady(JSON.parse(stdout) as Health));
      assert.equal(found.device.protocol, protocol);
      assert.equal(found.serial_number, serial);
      assert.equal(found.smart_status.passed, true);
      assert.deepEqual(found.smartctl.argv, ['smartctl', '-j', '-a', '--', `/dev/${device}`]);
    });
  }

  test('disks/health of what is no disk, and within the list of devices', { skip }, async () => {
    const health = async (user: string, device: string) =>
      (await machine.as(user)).call('disks/health', { device, privileged: true });
    assert.equal((await health('narrow', 'nvme0n1')).isError, false);
    const outside = "not authorized to read device sda: it is not in this tool's devices: list in grants.yaml";
    assert.equal((await health('narrow', 'sda')).text, outside);
    assert.equal((await health('ops', 'sdz')).text, 'no such block device "sdz" (see disks/list for device names)');
    for (const device of ['/dev/sda', '-a', '../sda', 'sda\nsdb']) {
      const { text, isError } = await health('ops', device);
      assert.ok(isError && text.startsWith('invalid device name "'), text);
    }
    assert.match((await health('guest', 'sda')).text, /^Permission denied: user guest is not authorized to use privileged: true/);
  });
}

interface Health {
  readonly smartctl: { readonly argv: readonly string[] };
  readonly device: { readonly protocol: string };
  readonly serial_number: string;
  readonly smart_status: { readonly passed: boolean };
}

/** Without the time of the reading and the counters that a reading changes. */
function steady(health: Health): object {
  const moving = new Set([
    'local_time',
    'nvme_smart_health_information_log',
    'power_on_time',
    'temperature',
    'ata_smart_attributes',
  ]);
  return Object.fromEntries(
    Object.entries(health).map(([key, value]) => [key, moving.has(key) ? Object.keys(value as object) : (value as unknown)]),
  );
}
