/** The filters of files/find: parsed once, applied to every entry. Pure functions, with the rounding rules of find(1). */
import { StewardError } from '../../errors.ts';
import type { Glance } from '../../host/descriptors.ts';
import { compileByteGlob } from '../../host/glob.ts';
import { S_IFMT, typeBits } from '../../host/modes.ts';

/** Bytes of the size units of find(1). */
const UNITS: Readonly<Record<string, number>> = { b: 512, c: 1, w: 2, k: 1024, M: 1024 ** 2, G: 1024 ** 3 };
const DAY_MS = 86_400_000;

/** Judges an entry by its status. */
type Test = (stat: Glance) => boolean;

export interface FindFilters {
  /** Those of many names that match, before the entries are looked at; byte strings. Undefined where any will do. */
  readonly names: ((names: readonly string[]) => readonly string[]) | undefined;
  readonly stat: Test;
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
  const tests: Test[] = [];
  // what most entries fail comes first
  if (given(words.size)) tests.push(parseSize(words.size));
  if (given(words.mtime)) tests.push(parseAge(words.mtime, now + 1));
  if (given(words.type)) tests.push(parseTypes(words.type));
  const types = given(words.type) ? words.type.split(',') : [];
  return {
    directories: types.length === 0 ? undefined : !types.includes('d') ? 'never' : types.length === 1 ? 'only' : undefined,
    names: given(words.name) ? compileByteGlob(words.name) : undefined,
    stat: allOf(tests),
  };
}

function given(word: string | undefined): word is string {
  return word !== undefined && word !== '';
}

/** One test of several: a search by one thing alone, as most are, asks that one. */
function allOf(tests: readonly Test[]): Test {
  const [first, ...others] = tests;
  if (first === undefined) return () => true;
  return others.reduce((before, test) => (stat) => before(stat) && test(stat), first);
}

function parseTypes(text: string): Test {
  const wanted = new Set<number>();
  for (const letter of text.split(',')) {
    const bits = typeBits(letter);
    if (bits === undefined) throw new StewardError('find_type', { value: text });
    wanted.add(bits);
  }
  return ({ mode }) => wanted.has(mode & S_IFMT);
}

/** Age in whole days, a part of a day not counted; a time to come has a negative age. */
function parseAge(text: string, now: number): Test {
  const parts = /^([+-]?)(\d{1,9})$/.exec(text);
  if (parts === null) throw new StewardError('find_mtime', { value: text });
  const [, sign = '', days = '0'] = parts;
  // of so many whole days: at least so old, and younger than a day more
  const least = Number(days) * DAY_MS;
  const { low, high } = span(sign, least, least + DAY_MS);
  return ({ mtimeMs }) => {
    const age = now - mtimeMs;
    return age >= low && age < high;
  };
}

/** Size in whole units, a part of a unit counted as one. */
function parseSize(text: string): Test {
  const parts = /^([+-]?)(\d{1,18})([bcwkMG]?)$/.exec(text);
  if (parts === null) throw new StewardError('find_size', { value: text });
  const [, sign = '', count = '0', letter = ''] = parts;
  const unit = UNITS[letter] ?? 512;
  // of so many units: more than one unit less, and not more than that
  const most = Number(count) * unit;
  const { low, high } = span(sign, most - unit, most);
  return ({ size }) => size > low && size <= high;
}

/** The part of a scale that a sign asks for: what lies between two marks (no sign), beyond them (`+`) or short of them (`-`). */
function span(sign: string, low: number, high: number): { readonly low: number; readonly high: number } {
  if (sign === '+') return { low: high, high: Infinity };
  if (sign === '-') return { low: -Infinity, high: low };
  return { low, high };
}
