/**
 * Where block devices are mounted and which of them are swap: mountinfo and /proc/swaps (proc_swaps(5)) brought together with the
 * devices of sysfs. Pure functions over what was read.
 */
import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import { errnoOf } from '../errors.ts';
import type { BlockDevice } from './block-devices.ts';
import { unescapeOctal, type Mount } from './mountinfo.ts';
import { textOf } from './names.ts';

const SWAP = '[SWAP]';

/** Mount points as text by the device's name in sysfs, in the order in which they were mounted, swap last. */
export function mountPointsByDevice(
  devices: readonly BlockDevice[],
  mounts: readonly Mount[],
  swaps: readonly string[],
): ReadonlyMap<string, readonly string[]> {
  const byNumber = new Map(devices.map((device) => [`${String(device.major)}:${String(device.minor)}`, device.sysName]));
  const byPath = new Map(devices.flatMap((device) => pathsOf(device).map((path) => [path, device.sysName])));
  const points = new Map<string, Set<string>>();
  const add = (device: string | undefined, point: string): void => {
    if (device !== undefined) points.set(device, (points.get(device) ?? new Set()).add(point));
  };
  // File systems over several devices (btrfs) have a number of their own; then the source tells.
  for (const { device, source, mountPoint } of mounts)
    add(byNumber.get(device) ?? byPath.get(textOf(source)), textOf(mountPoint));
  for (const path of swaps) add(byPath.get(textOf(path)), SWAP);
  return new Map([...points].map(([device, set]) => [device, [...set]]));
}

function pathsOf({ kname, name }: BlockDevice): string[] {
  return [`/dev/${kname}`, `/dev/mapper/${name}`];
}

/** Paths of active swap areas, as byte strings; none where the kernel has no swap. */
export function readSwaps(root: string): string[] {
  let text: string;
  try {
    text = readFileSync(join(root, '/proc/swaps'), 'latin1');
  } catch (error) {
    if (errnoOf(error) === undefined) throw error;
    return [];
  }
  const [, ...lines] = text.split('\n');
  return lines.flatMap((line) => {
    const [path, type] = line.split(/\s+/);
    return path !== undefined && type === 'partition' ? [unescapeOctal(path)] : [];
  });
}
