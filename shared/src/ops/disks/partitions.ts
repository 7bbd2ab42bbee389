/** Where the partitions of one disk or of all lie, in sectors of 512 bytes. Reads public files of the kernel; opens no device. */
import { StewardError } from '../../errors.ts';
import { readBlockDevices, type BlockDevice } from '../../host/block-devices.ts';
import { NOTHING, type Static } from '../../schema.ts';
import { operation } from '../operation.ts';

const SECTOR = 512;

const args = {
  type: 'object',
  properties: { device: { type: 'string', maxLength: 255, description: 'parent disk, not a partition' } },
  required: [],
  additionalProperties: false,
} as const;

const count = { type: 'integer', minimum: 0 } as const;
const record = {
  type: 'object',
  properties: {
    device: { type: 'string' },
    parent_disk: { type: 'string' },
    number: count,
    start_sector: count,
    size_sectors: count,
    size_bytes: count,
  },
  required: ['device', 'parent_disk', 'number', 'start_sector', 'size_sectors', 'size_bytes'],
  additionalProperties: false,
} as const;
export type PartitionRecord = Static<typeof record>;

export const disksPartitions = operation<Static<typeof args>, Static<typeof NOTHING>, PartitionRecord>({
  name: 'disks/partitions',
  args,
  kind: 'records',
  result: NOTHING,
  record,
  where: 'worker',
  async run({ device = '' }, context) {
    const partitions = readBlockDevices(context.root).flatMap(recordOf);
    const chosen = partitions.filter(({ parent_disk: disk }) => device === '' || disk === device);
    if (device !== '' && chosen.length === 0) throw new StewardError('no_partitions', { device });
    for (const partition of chosen) await context.emit(partition);
    return {};
  },
});

function recordOf({ kname, sectors, partition }: BlockDevice): PartitionRecord[] {
  if (partition === undefined) return [];
  return [
    {
      device: kname,
      parent_disk: partition.disk.replaceAll('!', '/'),
      number: partition.number,
      start_sector: partition.start,
      size_sectors: sectors,
      size_bytes: sectors * SECTOR,
    },
  ];
}
