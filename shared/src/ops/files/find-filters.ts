/** The filters of files/find: parsed once, applied to every entry. Pure functions, with the rounding rules of find(1). */
import type { BigIntStats } from 'node:fs';
import { StewardError } from '../../errors.ts';
import { compileByteGlob } from '../../host/glob.ts';
import { findType, type FindType } from '../../host/modes.ts';

const TYPES: ReadonlySet<string> = new Set(['f', 'd', 'l', 'b', 'c', 'p', 's']);
/** Bytes of the size units of find(1). */
const UNITS: Readonly<Record<string, bigint>> = { b: 512n, c: 1n, w: 2n, k: 1024n, M: 1024n ** 2n, G: 1024n ** 3n };
const DAY_NS = 86_400n * 10n ** 9n;

export interface FindFilters {
  /** Judges the base name alone, before the entry is looked at; a byte string. */
  readonly name: (name: string) => boolean;
  readonly stat: (stat: BigIntStats) => boolean;
  /** What kinds are wanted, when not all; spares a look at directories where only others are, and the other way round. */
  readonly directories: 'only' | 'never' | undefined;
}

export interface FindWords {
  readonly name?: string;
  readonly type?: string;
  readonly mtime?: string;
  readonly size?: string;
}

/** Parses the filters; `now` in whole milliseconds since 1970, of which the one at hand counts as past: what it made is not to come. Throws `find_type`, `find_mtime`, `find_size`. */
export function parseFilters(words: FindWords, now: number): FindFilters {
  const tests: ((stat: BigIntStats) => boolean)[] = [];
  if (given(words.type)) tests.push(parseTypes(words.type));
  if (given(words.mtime)) tests.push(parseAge(words.mtime, BigInt(now + 1) * 1_000_000n));
  if (given(words.size)) tests.push(parseSize(words.size));
  const types = given(words.type) ? words.type.split(',') : [];
  return {
    directories: types.length === 0 ? undefined : !types.includes('d') ? 'never' : types.length === 1 ? 'only' : undefined,
    name: given(words.name) ? compileByteGlob(words.name) : () => true,
    stat: (stat) => tests.every((test) => test(stat)),
  };
}

function given(word: string | undefined): word is string {
  return word !== undefined && word !== '';
}

function parseTypes(text: string): (stat: BigIntStats) => boolean {
  const wanted = new Set(text.split(','));
  for (const type of wanted) if (!TYPES.has(type)) throw new StewardError('find_type', { value: text });
  return (stat) => wanted.has(findType(stat) satisfies FindType);
}

/** Age in whole days, a part of a day not counted; a time to come has a negative age. */
function parseAge(text: string, now: bigint): (stat: BigIntStats) => boolean {
  const parts = /^([+-]?)(\d{1,9})$/.exec(text);
  if (parts === null) throw new StewardError('find_mtime', { value: text });
  const compare = comparison(parts[1] ?? '', BigInt(parts[2] ?? 0));
  return (stat) => compare(floorDivide(now - stat.mtimeNs, DAY_NS));
}

/** Size in whole units, a part of a unit counted as one. */
function parseSize(text: string): (stat: BigIntStats) => boolean {
  const parts = /^([+-]?)(\d{1,18})([bcwkMG]?)$/.exec(text);
  if (parts === null) throw new StewardError('find_size', { value: text });
  const unit = UNITS[parts[3] ?? ''] ?? 512n;
  const compare = comparison(parts[1] ?? '', BigInt(parts[2] ?? 0));
  return (stat) => compare((stat.size + unit - 1n) / unit);
}

function comparison(sign: string, wanted: bigint): (value: bigint) => boolean {
  if (sign === '+') return (value) => value > wanted;
  if (sign === '-') return (value) => value < wanted;
  return (value) => value === wanted;
}

function floorDivide(value: bigint, by: bigint): bigint {
  const quotient = value / by;
  return value < 0n && quotient * by !== value ? quotient - 1n : quotient;
}
