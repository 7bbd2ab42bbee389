/**
 * The SMBIOS structure table (DSP0134 section 6.1): structures one behind the other, each a header, a formatted area and its
 * strings. The table comes from firmware and may be wrong in any way, so nothing is read without looking at its length first.
 */

/** One structure. */
export interface SmbiosStructure {
  readonly type: number;
  readonly handle: number;
  /** Header and formatted area; offsets of the standard hold in it. */
  readonly area: Buffer;
  /** Numbered from 1 in the structure's fields. */
  readonly strings: readonly string[];
}

/** Type, length and handle. */
const HEADER_BYTES = 4;
const END_OF_TABLE = 127;

/**
 * All structures up to the end-of-table structure, or to the end of tables that have none; undefined when the table is malformed:
 * a length below that of the header, an area or strings that run out of the table.
 */
export function parseSmbios(table: Buffer): SmbiosStructure[] | undefined {
  const structures: SmbiosStructure[] = [];
  for (let at = 0; at < table.length;) {
    const length = table[at + 1] ?? 0;
    const stringsAt = at + length;
    if (length < HEADER_BYTES || stringsAt > table.length) return undefined;
    const type = table[at] ?? END_OF_TABLE;
    if (type === END_OF_TABLE) return structures;
    const end = endOfStrings(table, stringsAt);
    if (end === undefined) return undefined;
    const strings = end.text === '' ? [] : end.text.split('\0');
    structures.push({ type, handle: table.readUInt16LE(at + 2), area: table.subarray(at, stringsAt), strings });
    at = end.next;
  }
  return structures.length === 0 ? undefined : structures;
}

/** Strings end with two NULs; so does a structure without any. Their encoding is not said: firmware writes ASCII or UTF-8. */
function endOfStrings(table: Buffer, start: number): { text: string; next: number } | undefined {
  const end = table.indexOf('\0\0', start, 'latin1');
  return end < 0 ? undefined : { text: table.toString('utf8', start, end), next: end + 2 };
}

/** Reads the fields of a structure; a field beyond its end is undefined. */
export class Fields {
  readonly #structure: SmbiosStructure;

  constructor(structure: SmbiosStructure) {
    this.#structure = structure;
  }

  byte(offset: number): number | undefined {
    return this.#structure.area[offset];
  }

  word(offset: number): number | undefined {
    const { area } = this.#structure;
    return offset + 2 <= area.length ? area.readUInt16LE(offset) : undefined;
  }

  doubleWord(offset: number): number | undefined {
    const { area } = this.#structure;
    return offset + 4 <= area.length ? area.readUInt32LE(offset) : undefined;
  }

  /** The string whose number stands there, without blanks around it; empty for number 0 and for one that is not there. */
  string(offset: number): string | undefined {
    const number = this.byte(offset);
    return number === undefined ? undefined : (this.#structure.strings[number - 1] ?? '').trim();
  }
}
