/** Counters of block devices since boot, of one or of all but loop and RAM devices. Reads one public file. */
import { StewardError } from '../../errors.ts';
import { DISK_COUNTERS, readDiskStats, type DiskStats } from '../../host/diskstats.ts';
import { NOTHING, type Static } from '../../schema.ts';
import { operation } from '../operation.ts';

const args = {
  type: 'object',
  properties: { device: { type: 'string', maxLength: 255, description: 'bare name, e.g. sda' } },
  required: [],
  additionalProperties: false,
} as const;

const count = { type: 'integer', minimum: 0 } as const;
const record = {
  type: 'object',
  properties: {
    major: count,
    minor: count,
    device_name: { type: 'string' },
    ...Object.fromEntries(DISK_COUNTERS.map((name) => [name, count])),
  },
  required: ['major', 'minor', 'device_name', ...DISK_COUNTERS],
  additionalProperties: false,
} as const;

export const disksPerformance = operation<Static<typeof args>, Static<typeof NOTHING>, DiskStats>({
  name: 'disks/performance',
  args,
  kind: 'records',
  result: NOTHING,
  record,
  where: 'loop',
  async run({ device = '' }, context) {
    const all = await readDiskStats(context.root);
    const chosen = all.filter(({ device_name: name }) => (device === '' ? !/^(loop|ram)\d/.test(name) : name === device));
    if (device !== '' && chosen.length === 0) throw new StewardError('no_such_device', { device });
    for (const stats of chosen) await context.emit(stats);
    return {};
  },
});
