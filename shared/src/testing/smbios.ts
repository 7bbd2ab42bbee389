/** For unit tests alone: builds SMBIOS tables the way firmware does, and the tables of three kinds of machines. */

const WIDTHS: Readonly<Record<string, number>> = { b: 1, w: 2, d: 4 };

/** A structure of that length. `fields`: offset, width (b, w, d) and value in hexadecimal, as in `0cw7fff`; all others are zero. */
export function structure(type: number, handle: number, length: number, fields: string, strings: readonly string[] = []): Buffer {
  const area = Buffer.alloc(length);
  area.writeUInt8(type, 0);
  area.writeUInt8(length, 1);
  area.writeUInt16LE(handle, 2);
  for (const [, offset = '', width = '', value = ''] of fields.matchAll(/([0-9a-f]{2})([bwd])([0-9a-f]+)/g)) {
    area.writeUIntLE(Number.parseInt(value, 16), Number.parseInt(offset, 16), WIDTHS[width] ?? 1);
  }
  return Buffer.concat([area, Buffer.from(`${strings.join('\0')}\0\0`)]);
}

export const END_OF_TABLE = structure(127, 0xfeff, 4, '');

/** Firmware, system, chassis and memory array: what stands before the memory devices in every table. */
function preamble(vendor: string, product: string, chassis: string): Buffer[] {
  return [
    structure(0, 0x0000, 0x18, '04b1 05b2 08b3', [vendor, '2.1.0', '04/01/2024']),
    structure(1, 0x0100, 0x1b, '04b1 05b2 07b3', [vendor, product, 'SECRET-SERIAL']),
    structure(3, 0x0300, 0x16, `04b1 05b${chassis}`, [vendor]),
    structure(16, 0x1000, 0x17, '04b3 05b3 06b6 07d80000000 0dw4'),
  ];
}

const LRDIMM_64G =
  '04w1000 08w48 0aw40 0cw7fff 0eb9 10b1 12b1a 13w8080 15wc80 17b2 18b3 19b4 1ab5 1bb4 1cd10000 20wb75 22w4b0 24w4b0 26w4b0 28b3';
const EMPTY_SLOT = '04w1000 08wffff 0awffff 0eb9 10b1 12b2 13w4 28b2';
const SOLDERED =
  '08w20 0aw20 0cw2000 0ebb 10b1 11b2 12b23 13w80 15wffff 17b3 1bb1 20wffff 22w1f4 24w41a 26w1f4 28b3 54d11170 58d109a0';
const VIRTUAL = '04w1000 08wffff 0awffff 0cw1000 0eb9 10b1 12b7 13w2 17b2';
const OLD_ROM = '08w8 0aw8 0cw8200 0eb5 10b1 12b9 13w1000';

/** Two modules of 64 GiB, whose size needs the extended field, and an empty slot. */
export const SERVER_TABLE = Buffer.concat([
  ...preamble('Acme', 'R740', '17'),
  structure(17, 0x1100, 0x54, LRDIMM_64G, ['A1', 'Hynix ', '4A5B6C7D', '0F1E', ' HMAA8GL7AMR4N-VK  ']),
  structure(17, 0x1101, 0x54, LRDIMM_64G, ['A2', 'Hynix', '4A5B6C7E', '0F1F', 'HMAA8GL7AMR4N-VK']),
  structure(17, 0x1102, 0x54, EMPTY_SLOT, ['A3']),
  END_OF_TABLE,
]);

/** Soldered memory, faster than the old speed field can tell. */
export const LAPTOP_TABLE = Buffer.concat([
  ...preamble('Lemon', 'Air 14', 'a'),
  structure(17, 0x0045, 0x5c, SOLDERED, ['Controller0-ChannelA', 'BANK 0', 'Samsung']),
  structure(17, 0x0046, 0x5c, SOLDERED, ['Controller0-ChannelB', 'BANK 1', 'Samsung']),
  END_OF_TABLE,
]);

/** One module in the shorter form that a hypervisor writes, and a flash chip of 512 KiB in the oldest one. */
export const VIRTUAL_TABLE = Buffer.concat([
  ...preamble('QEMU', 'Standard PC', '1'),
  structure(17, 0x1100, 0x28, VIRTUAL, ['DIMM 0', 'QEMU']),
  structure(17, 0x1101, 0x15, OLD_ROM, ['FLASH']),
  END_OF_TABLE,
]);

/** A table with the entry point before it, as `dmidecode --from-dump` reads it (DSP0134 section 5.2.2, 64-bit). */
export function dumpOf(table: Buffer): Buffer {
  const entry = Buffer.alloc(32);
  entry.write('_SM3_');
  // Length, version 3.5, revision of the entry point; then size and place of the table.
  Buffer.from([24, 3, 5, 0, 1]).copy(entry, 6);
  entry.writeUInt32LE(table.length, 12);
  entry.writeBigUInt64LE(32n, 16);
  const sum = entry.subarray(0, 24).reduce((total, byte) => total + byte, 0);
  entry.writeUInt8((256 - (sum % 256)) % 256, 5);
  return Buffer.concat([entry, table]);
}
