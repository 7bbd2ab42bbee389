/** What the firmware tells of this machine, from /sys/class/dmi/id: the public files alone, so no serial numbers. */
import { stat } from 'node:fs/promises';
import { join } from 'node:path';
import { StewardError } from '../../errors.ts';
import { readAttribute } from '../procfs.ts';
import { CHASSIS_TYPES } from './smbios-names.ts';

const DIRECTORY = '/sys/class/dmi/id';
const UNKNOWN = 'Unknown';

export interface DmiInfo {
  readonly sys_vendor: string;
  readonly product_name: string;
  readonly product_version: string;
  readonly bios_version: string;
  readonly bios_date: string;
  readonly board_name: string;
  readonly board_vendor: string;
  readonly bios: { readonly vendor: string; readonly version: string; readonly date: string; readonly release: string };
  readonly chassis: { readonly vendor: string; readonly type: string; readonly type_code: number; readonly version: string };
}

/** Throws `dmi_unavailable` where the kernel has no such information. */
export async function readDmi(root: string): Promise<DmiInfo> {
  const text = async (name: string): Promise<string> => (await readAttribute(root, `${DIRECTORY}/${name}`)) ?? UNKNOWN;
  try {
    await stat(join(root, DIRECTORY));
  } catch {
    throw new StewardError('dmi_unavailable');
  }
  const typeText = await text('chassis_type');
  const typeCode = /^\d{1,3}$/.test(typeText) ? Number(typeText) : 0;
  const version = await text('bios_version');
  const date = await text('bios_date');
  return {
    sys_vendor: await text('sys_vendor'),
    product_name: await text('product_name'),
    product_version: await text('product_version'),
    bios_version: version,
    bios_date: date,
    board_name: await text('board_name'),
    board_vendor: await text('board_vendor'),
    bios: { vendor: await text('bios_vendor'), version, date, release: await text('bios_release') },
    chassis: {
      vendor: await text('chassis_vendor'),
      // The highest bit says that there is a lock.
      type: CHASSIS_TYPES[(typeCode & 0x7f) - 1] ?? UNKNOWN,
      type_code: typeCode,
      version: await text('chassis_version'),
    },
  };
}
