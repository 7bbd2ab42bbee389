/**
 * Shell globs over names: `*`, `?`, `[..]` with ranges, `!` or `^` and POSIX classes, backslash escapes; anchored, case-sensitive,
 * `*` also before a dot (fnmatch(3) without flags). Own matcher, because caller text must never become a regular expression: its
 * time is bounded by pattern times name, and that of reading a pattern by its length.
 */

import { textOf } from './names.ts';

/** POSIX classes in the C.UTF-8 locale's ASCII part and for letters beyond it. */
const CLASSES: Readonly<Record<string, RegExp>> = {
  alnum: /^[\p{L}\p{Nd}]$/u,
  alpha: /^\p{L}$/u,
  blank: /^[ \t]$/,
  cntrl: /^\p{Cc}$/u,
  digit: /^[0-9]$/,
  graph: /^[^\p{Z}\p{C}]$/u,
  lower: /^\p{Ll}$/u,
  print: /^[^\p{C}]$/u,
  punct: /^[\p{P}\p{S}]$/u,
  space: /^\s$/u,
  upper: /^\p{Lu}$/u,
  xdigit: /^[0-9A-Fa-f]$/,
};

type Matcher = (char: string) => boolean;
/** One place of a pattern: one character, or any number of them. */
type Place = Matcher | 'any';

/** Compiles a glob to a test of whole names. */
export function compileGlob(pattern: string): (name: string) => boolean {
  if (!/[?[\\]/.test(pattern) && pattern.isWellFormed()) return starsOnly(pattern.split('*'));
  const places = parse([...pattern]);
  return (name) => matches(places, [...name]);
}

/** Names of one directory looked at together; more are judged one by one, because their text takes memory. */
const TOGETHER = 4096;
/** No name has it, and so it can stand between them. */
const BETWEEN = '/';

/**
 * Compiles a glob to what picks the matching ones out of many names that are byte strings. Most patterns are ASCII with nothing but
 * stars: those judge the bytes as they are, because in UTF-8 no part of one character is another. Most directories hold no match at
 * all, which one look at all their names together tells.
 */
export function compileByteGlob(pattern: string): (names: readonly string[]) => readonly string[] {
  const test = compileGlob(pattern);
  if (!/^[\x20-\x3e@-Z\]-~]*$/.test(pattern)) return (names) => names.filter((name) => test(textOf(name)));
  const part = longestPart(pattern);
  return (names) => {
    if (names.length <= TOGETHER && !`${BETWEEN}${names.join(BETWEEN)}${BETWEEN}`.includes(part)) return [];
    return names.filter(test);
  };
}

/** Of a pattern with stars alone, the longest text that every match holds, when each name stands between two marks. */
function longestPart(pattern: string): string {
  const parts = `${BETWEEN}${pattern}${BETWEEN}`.split('*');
  return parts.reduce((longest, part) => (part.length > longest.length ? part : longest));
}

/** What stands between the stars, in this order: the quick way for patterns without anything else. */
function starsOnly(parts: readonly string[]): (name: string) => boolean {
  const first = parts[0] ?? '';
  const last = parts.at(-1) ?? '';
  if (parts.length === 1) return (name) => name === first;
  const middle = parts.slice(1, -1);
  const shortest = first.length + last.length;
  return (name) => {
    if (name.length < shortest || !name.startsWith(first) || !name.endsWith(last)) return false;
    let at = first.length;
    for (const part of middle) {
      const found = name.indexOf(part, at);
      if (found < 0) return false;
      at = found + part.length;
    }
    return at <= name.length - last.length;
  };
}

/** Brackets that may be found to have no end; each takes a look at all that follows, so any further one stands for itself unseen. */
const MAX_UNCLOSED = 8;

function parse(chars: readonly string[]): Place[] {
  const places: Place[] = [];
  let unclosed = 0;
  for (let at = 0; at < chars.length;) {
    const char = chars[at] ?? '';
    const set = char === '[' && unclosed < MAX_UNCLOSED ? parseSet(chars, at) : undefined;
    if (char === '[' && set === undefined) unclosed++;
    if (set !== undefined) {
      places.push(set.matcher);
      at = set.end;
    } else if (char === '\\' && at + 1 < chars.length) {
      places.push(exactly(chars[at + 1] ?? ''));
      at += 2;
    } else {
      if (char !== '*') places.push(char === '?' ? (): boolean => true : exactly(char));
      else if (places.at(-1) !== 'any') places.push('any');
      at++;
    }
  }
  return places;
}

function exactly(wanted: string): Matcher {
  return (char) => char === wanted;
}

/** A bracket expression beginning at `start`; undefined when it is not closed, and `[` stands for itself. */
function parseSet(chars: readonly string[], start: number): { matcher: Matcher; end: number } | undefined {
  let at = start + 1;
  const negated = chars[at] === '!' || chars[at] === '^';
  if (negated) at++;
  const first = at;
  const members: Matcher[] = [];
  for (; at < chars.length; at++) {
    if (chars[at] === ']' && at > first) {
      return { matcher: (char) => members.some((member) => member(char)) !== negated, end: at + 1 };
    }
    const named = /^\[:([a-z]+):\]/.exec(chars.slice(at, at + 12).join(''));
    const test = CLASSES[named?.[1] ?? ''];
    if (named !== null && test !== undefined) {
      members.push((char) => test.test(char));
      at += named[0].length - 1;
      continue;
    }
    if (chars[at] === '\\' && at + 1 < chars.length) at++;
    const low = chars[at] ?? '';
    if (chars[at + 1] === '-' && chars[at + 2] !== undefined && chars[at + 2] !== ']') {
      members.push(between(low, chars[at + 2] ?? ''));
      at += 2;
    } else {
      members.push(exactly(low));
    }
  }
  return undefined;
}

function between(low: string, high: string): Matcher {
  return (char) => char >= low && char <= high;
}

/** Greedy match that goes back to the last `*` only, so it is never worse than pattern times name. */
function matches(places: readonly Place[], name: readonly string[]): boolean {
  let place = 0;
  let at = 0;
  let star = -1;
  let starAt = 0;
  while (at < name.length) {
    const current = places[place];
    if (current === 'any') {
      star = place++;
      starAt = at;
    } else if (current !== undefined && current(name[at] ?? '')) {
      place++;
      at++;
    } else if (star >= 0) {
      place = star + 1;
      at = ++starAt;
    } else {
      return false;
    }
  }
  while (places[place] === 'any') place++;
  return place === places.length;
}
