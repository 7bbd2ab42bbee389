/**
 * SMBIOS structures of memory devices as a firmware would describe them (DSP0134 7.18), handed to the virtual machine, which by
 * itself has one device and no empty slot. Test only.
 */

export interface MemoryDevice {
  readonly locator: string;
  readonly bank: string;
  readonly sizeMib: number;
  readonly manufacturer: string;
  readonly serial: string;
  readonly part: string;
  /** Megatransfers per second. */
  readonly speed: number;
}

const LENGTH = 0x28;
const [TYPE, DIMM, DDR4, UNKNOWN, SYNCHRONOUS_REGISTERED] = [17, 0x09, 0x1a, 0x02, (1 << 7) | (1 << 13)];

/** Two devices and an empty slot. */
export const MEMORY_DEVICES: readonly MemoryDevice[] = [
  {
    locator: 'DIMM_A1',
    bank: 'BANK 0',
    sizeMib: 16384,
    manufacturer: 'Acme Memory',
    serial: '0A1B2C3D',
    part: 'AM-16G',
    speed: 3200,
  },
  {
    locator: 'DIMM_A2',
    bank: 'BANK 1',
    sizeMib: 8192,
    manufacturer: 'Other Memory',
    serial: '44556677',
    part: 'OM-8G',
    speed: 2933,
  },
  { locator: 'DIMM_B1', bank: 'BANK 2', sizeMib: 0, manufacturer: '', serial: '', part: '', speed: 0 },
];

/** One structure with its strings. */
export function structureOf(device: MemoryDevice, index: number): Buffer {
  const isEmpty = device.sizeMib === 0;
  const strings: string[] = [];
  const string = (text: string): number => (text === '' ? 0 : strings.push(text));
  const fields = Buffer.alloc(LENGTH);
  fields.set([TYPE, LENGTH]);
  fields.writeUInt16LE(0x1100 + index, 0x02);
  fields.writeUInt16LE(0x1000, 0x04); // The array that the virtual machine describes itself.
  fields.writeUInt16LE(0xfffe, 0x06); // No error information.
  fields.writeUInt16LE(isEmpty ? 0xffff : 72, 0x08);
  fields.writeUInt16LE(isEmpty ? 0xffff : 64, 0x0a);
  fields.writeUInt16LE(device.sizeMib, 0x0c);
  fields[0x0e] = DIMM;
  fields[0x10] = string(device.locator);
  fields[0x11] = string(device.bank);
  fields[0x12] = isEmpty ? UNKNOWN : DDR4;
  fields.writeUInt16LE(isEmpty ? 0 : SYNCHRONOUS_REGISTERED, 0x13);
  fields.writeUInt16LE(device.speed, 0x15);
  fields[0x17] = string(device.manufacturer);
  fields[0x18] = string(device.serial);
  fields[0x1a] = string(device.part);
  fields[0x1b] = isEmpty ? 0 : 2;
  fields.writeUInt16LE(device.speed, 0x20);
  fields.writeUInt16LE(isEmpty ? 0 : 1200, 0x26);
  const text = strings.map((value) => `${value}\0`).join('');
  return Buffer.concat([fields, Buffer.from(`${text === '' ? '\0' : text}\0`, 'latin1')]);
}
