/**
 * Time zone files (RFC 9636, tzfile(5)), versions 1 to 4. What they hold is not trusted: every index and length is checked, and a
 * file that does not fit together is none.
 */
import { localTypeByRule, parsePosixRule, type LocalType, type PosixRule } from './posix-rule.ts';

export type { LocalType } from './posix-rule.ts';

/** The times at which a zone's clocks were changed, in order, and what each changed them to. */
export interface Zone {
  /** Seconds since 1970. */
  readonly times: readonly number[];
  readonly changes: readonly LocalType[];
  /** Before the first change. */
  readonly first: LocalType;
  /** After the last change; undefined when the last one holds for ever. */
  readonly rule: PosixRule | undefined;
}

const HEADER = 44;
const TYPE_BYTES = 6;

/** Lengths of the parts of a data block, in their order in the header. */
interface Counts {
  readonly isUt: number;
  readonly isStandard: number;
  readonly leap: number;
  readonly time: number;
  readonly type: number;
  readonly characters: number;
}

/** Reads a zone file; undefined when it is none or is malformed. */
export function parseTzif(data: Buffer): Zone | undefined {
  const counts = readHeader(data, 0);
  if (counts === undefined) return undefined;
  // Version 1 is NUL: 32-bit times and nothing else. Later files repeat the block with 64-bit times.
  if (data[4] === 0) return readBlock(data, HEADER, counts, 4, undefined);
  const second = HEADER + blockBytes(counts, 4);
  const wide = readHeader(data, second);
  if (wide === undefined) return undefined;
  const start = second + HEADER;
  const footer = /^\n([^\n]*)\n/.exec(data.toString('latin1', start + blockBytes(wide, 8)))?.[1];
  if (footer === undefined) return undefined;
  const rule = footer === '' ? undefined : parsePosixRule(footer);
  return footer !== '' && rule === undefined ? undefined : readBlock(data, start, wide, 8, rule);
}

/** Local time at a moment in seconds since 1970. */
export function localTypeAt(zone: Zone, seconds: number): LocalType {
  const { times, changes, first, rule } = zone;
  let low = 0;
  let high = times.length;
  while (low < high) {
    const middle = (low + high) >>> 1;
    if ((times[middle] ?? 0) <= seconds) low = middle + 1;
    else high = middle;
  }
  if (low === times.length && rule !== undefined) return localTypeByRule(rule, seconds);
  return low === 0 ? first : (changes[low - 1] ?? first);
}

function readHeader(data: Buffer, at: number): Counts | undefined {
  if (data.length < at + HEADER || data.toString('latin1', at, at + 4) !== 'TZif') return undefined;
  const [isUt = 0, isStandard = 0, leap = 0, time = 0, type = 0, characters = 0] = [0, 1, 2, 3, 4, 5].map((index) =>
    data.readUInt32BE(at + 20 + index * 4),
  );
  const counts = { isUt, isStandard, leap, time, type, characters };
  return type === 0 || characters === 0 ? undefined : counts;
}

function blockBytes({ isUt, isStandard, leap, time, type, characters }: Counts, width: 4 | 8): number {
  return time * (width + 1) + type * TYPE_BYTES + characters + leap * (width + 4) + isStandard + isUt;
}

function readBlock(data: Buffer, start: number, counts: Counts, width: 4 | 8, rule: PosixRule | undefined): Zone | undefined {
  if (data.length < start + blockBytes(counts, width)) return undefined;
  const { time, type, characters } = counts;
  const indexes = start + time * width;
  const typesAt = indexes + time;
  const names = data.toString('latin1', typesAt + type * TYPE_BYTES, typesAt + type * TYPE_BYTES + characters);
  const types = Array.from({ length: type }, (_, index) => readType(data, typesAt + index * TYPE_BYTES, names));
  const times = Array.from({ length: time }, (_, index) => readTime(data, start + index * width, width));
  const changes = Array.from({ length: time }, (_, index) => types[data[indexes + index] ?? type]);
  const [first] = types;
  const whole = first !== undefined && types.every((one) => one !== undefined) && changes.every((one) => one !== undefined);
  return whole ? { times, changes, first, rule } : undefined;
}

function readTime(data: Buffer, at: number, width: 4 | 8): number {
  return width === 4 ? data.readInt32BE(at) : Number(data.readBigInt64BE(at));
}

function readType(data: Buffer, at: number, names: string): LocalType | undefined {
  const nameAt = data[at + 5] ?? 0;
  const end = names.indexOf('\0', nameAt);
  if (nameAt >= names.length || end < 0) return undefined;
  return { offset: data.readInt32BE(at), isDst: data[at + 4] === 1, abbreviation: names.slice(nameAt, end) };
}
