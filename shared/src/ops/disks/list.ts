/**
 * Block devices as a tree: partitions below their disks, volumes and arrays below what they are made of. Reads public files of the
 * kernel; opens no device. One record per device at the top.
 */
import { readBlockDevices, type BlockDevice } from '../../host/block-devices.ts';
import { mountPointsByDevice, readSwaps } from '../../host/device-mounts.ts';
import { readMounts } from '../../host/mountinfo.ts';
import { NOTHING, type Static } from '../../schema.ts';
import { operation } from '../operation.ts';

const SECTOR = 512;
const RAM_MAJOR = 1;
/** Levels of a tree at most: devices are built on others a few times, never round in a circle for ever. */
const MAX_DEPTH = 32;

const args = {
  type: 'object',
  properties: { all: { type: 'boolean', description: 'empty devices and RAM disks' } },
  required: [],
  additionalProperties: false,
} as const;

/** One device; `children` hold the same again, which this subset of JSON Schema cannot say. */
const record = {
  type: 'object',
  properties: {
    name: { type: 'string' },
    kname: { type: 'string' },
    'maj:min': { type: 'string' },
    rm: { type: 'boolean' },
    /** Bytes. */
    size: { type: 'string' },
    size_bytes: { type: 'integer', minimum: 0 },
    ro: { type: 'boolean' },
    type: { type: 'string' },
    mountpoints: { type: 'array', items: { type: 'string' } },
    children: {
      type: 'array',
      items: { type: 'object', properties: {}, required: ['name', 'children'], additionalProperties: true },
    },
  },
  required: ['name', 'kname', 'maj:min', 'rm', 'size', 'size_bytes', 'ro', 'type', 'mountpoints', 'children'],
  additionalProperties: false,
} as const;
export type BlockDeviceRecord = Omit<Static<typeof record>, 'children'> & { children: BlockDeviceRecord[] };

export const disksList = operation<Static<typeof args>, Static<typeof NOTHING>, BlockDeviceRecord>({
  name: 'disks/list',
  args,
  kind: 'records',
  result: NOTHING,
  record,
  where: 'worker',
  async run({ all }, context) {
    const devices = readBlockDevices(context.root).filter((device) => all === true || isOfInterest(device));
    const points = mountPointsByDevice(devices, readMounts(context.root), readSwaps(context.root));
    for (const tree of treesOf(devices, points)) await context.emit(tree);
    return {};
  },
});

function isOfInterest({ sectors, major }: BlockDevice): boolean {
  return sectors > 0 && major !== RAM_MAJOR;
}

/** A device that stands on two others comes below both; one that stands on none of these is a tree of its own. */
function treesOf(devices: readonly BlockDevice[], points: ReadonlyMap<string, readonly string[]>): BlockDeviceRecord[] {
  const parents = parentsOf(devices);
  const children = new Map<string, BlockDevice[]>(devices.map(({ sysName }) => [sysName, []]));
  for (const device of devices) for (const parent of parents(device)) children.get(parent)?.push(device);
  const build = (device: BlockDevice, depth: number): BlockDeviceRecord => {
    const below = depth < MAX_DEPTH ? (children.get(device.sysName) ?? []) : [];
    return describe(
      device,
      points.get(device.sysName) ?? [],
      below.map((child) => build(child, depth + 1)),
    );
  };
  return devices.filter((device) => !parents(device).some((parent) => children.has(parent))).map((device) => build(device, 1));
}

/** By names in sysfs: the disk of a partition, and what a volume or array is made of. */
function parentsOf(devices: readonly BlockDevice[]): (device: BlockDevice) => readonly string[] {
  const held = new Map<string, string[]>();
  for (const { sysName, holders } of devices) {
    for (const holder of holders) held.set(holder, [...(held.get(holder) ?? []), sysName]);
  }
  return ({ sysName, partition }) => [...(partition === undefined ? [] : [partition.disk]), ...(held.get(sysName) ?? [])];
}

function describe(device: BlockDevice, points: readonly string[], children: BlockDeviceRecord[]): BlockDeviceRecord {
  const bytes = device.sectors * SECTOR;
  return {
    name: device.name,
    kname: device.kname,
    'maj:min': `${String(device.major)}:${String(device.minor)}`,
    rm: device.removable,
    size: String(bytes),
    size_bytes: bytes,
    ro: device.readOnly,
    type: device.type,
    mountpoints: [...points],
    children,
  };
}
