/** The template `disks://{name}/stats`: counters of one block device. Public: read here, never as root. */
import { StewardError } from '@steward/shared/errors.ts';
import { disksPerformance } from '@steward/shared/ops/disks/performance.ts';
import { jsonText } from '../render/json.ts';
import { diskNames } from './choices.ts';
import type { ResourceTemplate } from './resource.ts';

const JSON_TYPE = 'application/json';

const stats: ResourceTemplate = {
  uriTemplate: 'disks://{name}/stats',
  complete: { name: diskNames },
  name: 'Disk I/O Statistics',
  description: 'Cumulative I/O counters of one block device since boot.',
  mimeType: JSON_TYPE,
  group: 'disks',
  verb: 'stats',
  async read(context) {
    const device = context.params['name'] ?? '';
    // Without a name the operation would tell of all devices.
    if (device === '') throw new StewardError('no_such_device', { device });
    const outcome = await context.runLocal(disksPerformance, { device });
    const records = [];
    for await (const record of outcome.records()) records.push(record);
    return { mimeType: JSON_TYPE, text: jsonText(records[0]) };
  },
};

export const DISK_TEMPLATES: readonly ResourceTemplate[] = [stats];
