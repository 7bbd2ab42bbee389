/**
 * Memory devices and empty slots, from the SMBIOS table that the kernel keeps (structure type 17, DSP0134 section 7.18). The file
 * is root's: it holds serial numbers.
 */
import { readFile, stat } from 'node:fs/promises';
import { join } from 'node:path';
import { errnoOf, systemError } from '../../errors.ts';
import { codeName, FORM_FACTORS, MEMORY_TYPES, TECHNOLOGIES, TYPE_DETAILS } from './smbios-names.ts';
import { Fields, parseSmbios, type SmbiosStructure } from './smbios.ts';

const TABLE = '/sys/firmware/dmi/tables/DMI';
const MAX_TABLE = 1024 * 1024;
const MEMORY_DEVICE = 17;
const KIB = 1024;
const MIB = 1024 * KIB;

/** One slot. What the firmware does not tell, or tells as unknown, is absent. */
export interface MemoryDevice {
  readonly handle: number;
  readonly locator?: string;
  readonly bank_locator?: string;
  readonly populated?: boolean;
  readonly size_bytes?: number;
  readonly form_factor?: string;
  readonly type?: string;
  readonly type_detail?: readonly string[];
  readonly total_width_bits?: number;
  readonly data_width_bits?: number;
  /** Million transfers per second. */
  readonly speed_mts?: number;
  readonly configured_speed_mts?: number;
  readonly rank?: number;
  readonly min_voltage_mv?: number;
  readonly max_voltage_mv?: number;
  readonly configured_voltage_mv?: number;
  readonly technology?: string;
  readonly manufacturer?: string;
  readonly serial_number?: string;
  readonly asset_tag?: string;
  readonly part_number?: string;
}

/** Undefined when there is no table, it is too long or malformed. Throws `read_system` when it may not be read. */
export async function readMemoryDevices(root: string): Promise<MemoryDevice[] | undefined> {
  const table = await readTable(join(root, TABLE));
  const structures = table === undefined ? undefined : parseSmbios(table);
  return structures?.filter(({ type }) => type === MEMORY_DEVICE).map(memoryDeviceOf);
}

async function readTable(file: string): Promise<Buffer | undefined> {
  try {
    const size = (await stat(file)).size; // sysfs tells it for this file
    const table = size > MAX_TABLE ? undefined : await readFile(file);
    return table !== undefined && table.length <= MAX_TABLE ? table : undefined;
  } catch (error) {
    if (['EACCES', 'EPERM'].includes(errnoOf(error) ?? '')) throw systemError('read_system', { path: TABLE }, error);
    return undefined;
  }
}

/** Offsets are those of the standard. */
export function memoryDeviceOf(structure: SmbiosStructure): MemoryDevice {
  const fields = new Fields(structure);
  return {
    handle: structure.handle,
    ...known({
      locator: fields.string(0x10),
      bank_locator: fields.string(0x11),
      ...sizeOf(fields),
      form_factor: mapped(fields.byte(0x0e), (code) => codeName(FORM_FACTORS, code)),
      type: mapped(fields.byte(0x12), (code) => codeName(MEMORY_TYPES, code)),
      type_detail: mapped(fields.word(0x13), (bits) => TYPE_DETAILS.filter((_, index) => (bits & (2 << index)) !== 0)),
      total_width_bits: unless(fields.word(0x08), 0xffff),
      data_width_bits: unless(fields.word(0x0a), 0xffff),
      speed_mts: speedOf(fields, 0x15, 0x54),
      configured_speed_mts: speedOf(fields, 0x20, 0x58),
      rank: unless(mapped(fields.byte(0x1b), (attributes) => attributes & 0x0f)),
      min_voltage_mv: unless(fields.word(0x22)),
      max_voltage_mv: unless(fields.word(0x24)),
      configured_voltage_mv: unless(fields.word(0x26)),
      technology: mapped(unless(fields.byte(0x28)), (code) => codeName(TECHNOLOGIES, code)),
      manufacturer: fields.string(0x17),
      serial_number: fields.string(0x18),
      asset_tag: fields.string(0x19),
      part_number: fields.string(0x1a),
    }),
  };
}

/** The size field counts MiB, or KiB with its highest bit; its last value points to the extended size. */
function sizeOf(fields: Fields): { populated?: boolean; size_bytes?: number | undefined } {
  const size = fields.word(0x0c);
  if (size === undefined) return {};
  if (size === 0) return { populated: false, size_bytes: 0 };
  if (size === 0xffff) return { populated: true };
  if (size === 0x7fff)
    return { populated: true, size_bytes: mapped(fields.doubleWord(0x1c), (mib) => (mib & 0x7fff_ffff) * MIB) };
  return { populated: true, size_bytes: size & 0x8000 ? (size & 0x7fff) * KIB : size * MIB };
}

/** Speeds that do not fit into the word stand in a field of their own, of 31 bits. */
function speedOf(fields: Fields, offset: number, extended: number): number | undefined {
  const speed = fields.word(offset);
  return unless(speed === 0xffff ? mapped(fields.doubleWord(extended), (value) => value & 0x7fff_ffff) : speed);
}

/** Undefined for the value that means "unknown". */
function unless(value: number | undefined, unknown = 0): number | undefined {
  return value === unknown ? undefined : value;
}

function mapped<From, To>(value: From | undefined, change: (value: From) => To): To | undefined {
  return value === undefined ? undefined : change(value);
}

/** The members that are not undefined. */
function known<T extends object>(given: T): { [K in keyof T]?: Exclude<T[K], undefined> } {
  return Object.fromEntries(Object.entries(given).filter(([, value]) => value !== undefined)) as {
    [K in keyof T]?: Exclude<T[K], undefined>;
  };
}
