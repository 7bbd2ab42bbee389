/** For unit tests alone: builds SMBIOS tables the way firmware does, and the tables of three kinds of machines. */

/** A field at an offset of the structure; its width comes with it. */
type Field = readonly [offset: number, width: 1 | 2 | 4, value: number];

/** A structure of that length with these fields, all others zero. */
export function structure(type: number, handle: number, length: number, fields: readonly Field[], strings: readonly string[]): Buffer {
  const area = Buffer.alloc(length);
  area.writeUInt8(type, 0);
  area.writeUInt8(length, 1);
  area.writeUInt16LE(handle, 2);
  for (const [offset, width, value] of fields) area.writeUIntLE(value, offset, width);
  const text = strings.length === 0 ? '\0\0' : `${strings.join('\0')}\0\0`;
  return Buffer.concat([area, Buffer.from(text)]);
}

export const END_OF_TABLE = structure(127, 0xfeff, 4, [], []);

/** Firmware, system and chassis: what stands before the memory in every table. */
function preamble(vendor: string, product: string, chassis: number): Buffer[] {
  return [
    structure(0, 0x0000, 0x18, [[4, 1, 1], [5, 1, 2], [8, 1, 3]], [vendor, '2.1.0', '04/01/2024']), // prettier-ignore
    structure(1, 0x0100, 0x1b, [[4, 1, 1], [5, 1, 2], [7, 1, 3]], [vendor, product, 'SECRET-SERIAL']), // prettier-ignore
    structure(3, 0x0300, 0x16, [[4, 1, 1], [5, 1, chassis]], [vendor]), // prettier-ignore
    structure(16, 0x1000, 0x17, [[4, 1, 3], [5, 1, 3], [6, 1, 6], [7, 4, 0x8000_0000], [0x0d, 2, 4]], []), // prettier-ignore
  ];
}

const LRDIMM_64G: readonly Field[] = [
  ...([[0x04, 2, 0x1000], [0x08, 2, 72], [0x0a, 2, 64], [0x0c, 2, 0x7fff], [0x0e, 1, 0x09]] as const), // prettier-ignore
  ...([[0x10, 1, 1], [0x12, 1, 0x1a], [0x13, 2, 0x8080], [0x15, 2, 3200]] as const), // prettier-ignore
  ...([[0x17, 1, 2], [0x18, 1, 3], [0x19, 1, 4], [0x1a, 1, 5], [0x1b, 1, 4], [0x1c, 4, 65536]] as const), // prettier-ignore
  ...([[0x20, 2, 2933], [0x22, 2, 1200], [0x24, 2, 1200], [0x26, 2, 1200], [0x28, 1, 3]] as const), // prettier-ignore
];
const EMPTY_SLOT: readonly Field[] = [
  ...([[0x04, 2, 0x1000], [0x08, 2, 0xffff], [0x0a, 2, 0xffff], [0x0e, 1, 0x09], [0x10, 1, 1], [0x12, 1, 0x02]] as const), // prettier-ignore
  ...([[0x13, 2, 0x0004], [0x28, 1, 0x02]] as const), // prettier-ignore
];
const SOLDERED: readonly Field[] = [
  ...([[0x08, 2, 32], [0x0a, 2, 32], [0x0c, 2, 8192], [0x0e, 1, 0x0b], [0x10, 1, 1], [0x11, 1, 2]] as const), // prettier-ignore
  ...([[0x12, 1, 0x23], [0x13, 2, 0x0080], [0x15, 2, 0xffff], [0x17, 1, 3], [0x1b, 1, 1], [0x20, 2, 0xffff]] as const), // prettier-ignore
  ...([[0x22, 2, 500], [0x24, 2, 1050], [0x26, 2, 500], [0x28, 1, 3], [0x54, 4, 70000], [0x58, 4, 68000]] as const), // prettier-ignore
];
const VIRTUAL: readonly Field[] = [
  ...([[0x04, 2, 0x1000], [0x08, 2, 0xffff], [0x0a, 2, 0xffff], [0x0c, 2, 4096], [0x0e, 1, 0x09]] as const), // prettier-ignore
  ...([[0x10, 1, 1], [0x12, 1, 0x07], [0x13, 2, 0x0002], [0x17, 1, 2]] as const), // prettier-ignore
];
const OLD_ROM: readonly Field[] = [
  ...([[0x08, 2, 8], [0x0a, 2, 8], [0x0c, 2, 0x8200], [0x0e, 1, 0x05], [0x10, 1, 1], [0x12, 1, 0x09], [0x13, 2, 0x1000]] as const), // prettier-ignore
];

/** Two modules of 64 GiB, whose size needs the extended field, and an empty slot. */
export const SERVER_TABLE = Buffer.concat([
  ...preamble('Acme', 'R740', 23),
  structure(17, 0x1100, 0x54, LRDIMM_64G, ['A1', 'Hynix ', '4A5B6C7D', '0F1E', ' HMAA8GL7AMR4N-VK  ']),
  structure(17, 0x1101, 0x54, LRDIMM_64G, ['A2', 'Hynix', '4A5B6C7E', '0F1F', 'HMAA8GL7AMR4N-VK']),
  structure(17, 0x1102, 0x54, EMPTY_SLOT, ['A3']),
  END_OF_TABLE,
]);

/** Soldered memory, faster than the old speed field can tell. */
export const LAPTOP_TABLE = Buffer.concat([
  ...preamble('Lemon', 'Air 14', 10),
  structure(17, 0x0045, 0x5c, SOLDERED, ['Controller0-ChannelA', 'BANK 0', 'Samsung']),
  structure(17, 0x0046, 0x5c, SOLDERED, ['Controller0-ChannelB', 'BANK 1', 'Samsung']),
  END_OF_TABLE,
]);

/** One module in the shorter form that a hypervisor writes, and a flash chip of 512 KiB in the oldest one. */
export const VIRTUAL_TABLE = Buffer.concat([
  ...preamble('QEMU', 'Standard PC', 1),
  structure(17, 0x1100, 0x28, VIRTUAL, ['DIMM 0', 'QEMU']),
  structure(17, 0x1101, 0x15, OLD_ROM, ['FLASH']),
  END_OF_TABLE,
]);

/** A table with the entry point before it, as `dmidecode --from-dump` reads it (DSP0134 section 5.2.2, 64-bit). */
export function dumpOf(table: Buffer): Buffer {
  const entry = Buffer.alloc(32);
  entry.write('_SM3_');
  entry.writeUInt8(24, 6);
  entry.writeUInt8(3, 7);
  entry.writeUInt8(5, 8);
  entry.writeUInt8(1, 10);
  entry.writeUInt32LE(table.length, 12);
  entry.writeBigUInt64LE(32n, 16);
  const sum = entry.subarray(0, 24).reduce((total, byte) => total + byte, 0);
  entry.writeUInt8((256 - (sum % 256)) % 256, 5);
  return Buffer.concat([entry, table]);
}
