/** On which disks a grant holds: kernel names matched by globs, after the name was found in sysfs. Opens no device. */
import { simpleGlob } from '@steward/shared/config/match.ts';
import { StewardError } from '@steward/shared/errors.ts';
import { findDiskNode } from '@steward/shared/host/disk-node.ts';
import type { ImmediateRestriction } from '@steward/shared/catalogue/row.ts';

/** Tools with `devices` in their grant; without the list a grant holds for every disk. */
export const byDevice: ImmediateRestriction = {
  name: 'devices',
  says: 'the device is one of sysfs, its node in /dev has that number, and its kernel name matches `devices`',
  decide({ args, grant }) {
    const device = String(args['device']);
    const object = findDiskNode('/', device);
    if (grant.devices === undefined) return { object, rule: 'devices: any' };
    const glob = grant.devices.find((entry) => simpleGlob(entry, device));
    if (glob === undefined) throw new StewardError('device_restricted', { device });
    return { object, rule: `devices: ${glob}` };
  },
};
