/** Catalogue entry: words and text of disks/mounts. */
import { disksMounts, type MountRecord } from '@steward/shared/ops/disks/mounts.ts';
import { mapped } from '../../render/batches.ts';
import { escapeName } from '../../render/names.ts';
import { joinLines } from '../../render/stream.ts';
import { tool } from '../tool.ts';

export const disksMountsTool = tool({
  name: 'disks/mounts',
  title: 'List mounts',
  description:
    'List mounted filesystems: device, mount point, type, options; optional exact type filter. Text or JSON. Space: disks/free.',
  op: disksMounts,
  formats: true,
  human: false,
  text: (outcome) => ({ text: joinLines(mapped(outcome.records(), line)) }),
});

function line({ device, mount_point, fs_type, options }: MountRecord): string {
  return escapeName(`${device} on ${mount_point} type ${fs_type} (${options})`);
}
