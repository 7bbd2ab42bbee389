/**
 * The block devices of this host as sysfs describes them (/sys/class/block, Documentation/ABI/stable/sysfs-block of the kernel).
 * Opens no device. Blocks while it reads a dozen small files per device: for worker threads.
 */
import { readdirSync, readFileSync, readlinkSync } from 'node:fs';
import { join } from 'node:path';
import { errnoOf, systemError } from '../errors.ts';

const CLASS = '/sys/class/block';
/** TYPE_ROM of the SCSI device types. */
const SCSI_ROM = '5';
/** Major numbers of the Linux device list. */
const LOOP_MAJOR = 7;
const ROM_MAJOR = 11;
/** Device-mapper devices by the prefix of their uuid; partitions of such devices have `part1-` and so on. */
const MAPPER_TYPES = ['lvm', 'crypt', 'mpath'];

export interface BlockDevice {
  /** The name in sysfs, for instance `dm-0`; a `/` of the device's name is a `!` there. */
  readonly sysName: string;
  /** The kernel's name, for instance `cciss/c0d0`. */
  readonly kname: string;
  /** What people call it: `vg-root` for `dm-0`, else the kernel's name. */
  readonly name: string;
  readonly major: number;
  readonly minor: number;
  /** Units of 512 bytes, whatever the device's own sectors are. */
  readonly sectors: number;
  readonly readOnly: boolean;
  readonly removable: boolean;
  /** `disk`, `part`, `rom`, `loop`, `lvm`, `crypt`, `mpath`, `dm`, or a RAID level such as `raid1`. */
  readonly type: string;
  /** Present for partitions. */
  readonly partition?: { readonly number: number; readonly start: number; readonly disk: string };
  /** Devices built on this one, by their names in sysfs. */
  readonly holders: readonly string[];
}

/** All block devices by number. A host without any, or without sysfs, has none. Throws `read_system`. */
export function readBlockDevices(root: string): BlockDevice[] {
  const devices = namesIn(root, CLASS).flatMap((name) => readBlockDevice(root, name) ?? []);
  return devices.sort((a, b) => a.major - b.major || a.minor - b.minor);
}

/** One block device by its name in sysfs; undefined when there is none, or none that could be opened (hidden NVMe paths). */
export function readBlockDevice(root: string, sysName: string): BlockDevice | undefined {
  const directory = `${CLASS}/${sysName}`;
  const number = parseDeviceNumber(attribute(root, `${directory}/dev`));
  if (number === undefined) return undefined;
  const partition = partitionOf(root, directory);
  const kname = sysName.replaceAll('!', '/');
  return {
    sysName,
    kname,
    name: attribute(root, `${directory}/dm/name`) ?? kname,
    ...number,
    sectors: numberOf(attribute(root, `${directory}/size`)),
    readOnly: attribute(root, `${directory}/ro`) === '1',
    removable: attribute(root, `${partition === undefined ? directory : `${CLASS}/${partition.disk}`}/removable`) === '1',
    type: partition === undefined ? typeOf(root, directory, number.major) : 'part',
    ...(partition === undefined ? {} : { partition }),
    holders: namesIn(root, `${directory}/holders`),
  };
}

/** `8:1` as numbers; undefined for anything else. */
export function parseDeviceNumber(text: string | undefined): { readonly major: number; readonly minor: number } | undefined {
  const parts = /^(\d+):(\d+)$/.exec(text ?? '');
  return parts === null ? undefined : { major: Number(parts[1]), minor: Number(parts[2]) };
}

/** The link in the class leads to `.../sda/sda1`: a partition's directory is in that of its disk. */
function partitionOf(root: string, directory: string): BlockDevice['partition'] {
  const number = attribute(root, `${directory}/partition`);
  const disk = unlessGone(() => readlinkSync(join(root, directory)).split('/').at(-2));
  if (number === undefined || disk === undefined) return undefined;
  return { number: numberOf(number), start: numberOf(attribute(root, `${directory}/start`)), disk };
}

function typeOf(root: string, directory: string, major: number): string {
  const uuid = attribute(root, `${directory}/dm/uuid`);
  if (uuid !== undefined) return mapperType(uuid);
  const level = attribute(root, `${directory}/md/level`);
  if (level !== undefined) return level === '' ? 'md' : level;
  if (major === LOOP_MAJOR) return 'loop';
  return major === ROM_MAJOR || attribute(root, `${directory}/device/type`) === SCSI_ROM ? 'rom' : 'disk';
}

function mapperType(uuid: string): string {
  const prefix = uuid.slice(0, Math.max(0, uuid.indexOf('-'))).toLowerCase();
  if (/^part\d+$/.test(prefix)) return 'part';
  return MAPPER_TYPES.includes(prefix) ? prefix : 'dm';
}

/** The value of an attribute without its newline and blanks around it; undefined when the device does not have it. */
export function attribute(root: string, path: string): string | undefined {
  return unlessGone(() => readFileSync(join(root, path), 'utf8').trim());
}

/** Devices come and go while they are looked at. */
function unlessGone<T>(read: () => T): T | undefined {
  try {
    return read();
  } catch (error) {
    if (errnoOf(error) === undefined) throw error;
    return undefined;
  }
}

function namesIn(root: string, path: string): string[] {
  try {
    return readdirSync(join(root, path)).sort();
  } catch (error) {
    if (errnoOf(error) === 'ENOENT') return [];
    throw systemError('read_system', { path }, error);
  }
}

function numberOf(text: string | undefined): number {
  return text !== undefined && /^\d+$/.test(text) ? Number(text) : 0;
}
