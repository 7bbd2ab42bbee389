/**
 * From the name of a disk to its device node. The name is all that a caller gives: it must be one of sysfs, and the node of that
 * name in /dev must be a device of just that number.
 */
import { lstatSync, type BigIntStats } from 'node:fs';
import { join } from 'node:path';
import { errnoOf, StewardError } from '../errors.ts';
import { attribute, parseDeviceNumber } from './block-devices.ts';
import { makeDevice } from './device-number.ts';

/** Block devices, and the controllers of NVMe disks, which are character devices. */
const CLASSES = ['block', 'nvme'] as const;
/** No leading dash, no slash: a name is never an option nor a path. */
const NAME = /^[A-Za-z0-9][A-Za-z0-9_-]*$/;

/** The path of the node, `/dev/NAME`. Throws `device_name_invalid` and `no_such_device`. */
export function findDiskNode(root: string, device: string): string {
  if (!NAME.test(device)) throw new StewardError('device_name_invalid', { device });
  const path = `/dev/${device}`;
  if (!CLASSES.some((kind) => isNodeOf(root, kind, device, path))) throw new StewardError('no_such_device', { device });
  return path;
}

function isNodeOf(root: string, kind: (typeof CLASSES)[number], device: string, path: string): boolean {
  const number = parseDeviceNumber(attribute(root, `/sys/class/${kind}/${device}/dev`));
  const node = statNode(join(root, path));
  if (number === undefined || node === undefined) return false;
  if (kind === 'block' ? !node.isBlockDevice() : !node.isCharacterDevice()) return false;
  return node.rdev === makeDevice(BigInt(number.major), BigInt(number.minor));
}

/** The node itself: a link to another device is none. */
function statNode(path: string): BigIntStats | undefined {
  try {
    return lstatSync(path, { bigint: true, throwIfNoEntry: false });
  } catch (error) {
    if (errnoOf(error) === undefined) throw error;
    return undefined;
  }
}
