/** Mounted file systems of this host, by mount point. Reads a file of the kernel. */
import { readMounts, type Mount } from '../../host/mountinfo.ts';
import { namedPath, textOf } from '../../host/names.ts';
import { NOTHING, type Static } from '../../schema.ts';
import { operation } from '../operation.ts';

const args = {
  type: 'object',
  properties: { fs_type: { type: 'string', maxLength: 255, description: 'exact, e.g. ext4' } },
  required: [],
  additionalProperties: false,
} as const;

const record = {
  type: 'object',
  properties: {
    device: { type: 'string' },
    mount_point: { type: 'string' },
    fs_type: { type: 'string' },
    options: { type: 'string' },
    /** Of a mount point that is not UTF-8. */
    path_base64: { type: 'string' },
  },
  required: ['device', 'mount_point', 'fs_type', 'options'],
  additionalProperties: false,
} as const;
export type MountRecord = Static<typeof record>;

export const disksMounts = operation<Static<typeof args>, Static<typeof NOTHING>, MountRecord>({
  name: 'disks/mounts',
  args,
  kind: 'records',
  result: NOTHING,
  record,
  where: 'worker',
  async run({ fs_type: wanted = '' }, context) {
    const mounts = readMounts(context.root).filter(({ fsType }) => wanted === '' || textOf(fsType) === wanted);
    for (const mount of mounts.sort(byMountPoint)) await context.emit(recordOf(mount));
    return {};
  },
});

/** What is mounted over something else comes after it, because sorting is stable. */
function byMountPoint(a: Mount, b: Mount): number {
  return a.mountPoint < b.mountPoint ? -1 : a.mountPoint > b.mountPoint ? 1 : 0;
}

function recordOf({ source, mountPoint, fsType, options }: Mount): MountRecord {
  const { path, ...encoded } = namedPath(mountPoint);
  return { device: textOf(source), mount_point: path, fs_type: textOf(fsType), options: textOf(options), ...encoded };
}
