/** Sort keys of directory listings: byte strings whose byte order is the order wanted. Pure functions. */
import type { BigIntStats } from 'node:fs';
import { byteString, textOf } from '../../host/names.ts';

/** Separates the parts of a key; no name contains it, and it sorts before every other byte. */
const END = '\0';
/** Names that are joined to one text: that of a hundred thousand would stay, megabytes of it, until the whole heap is collected. */
const JOINED = 2048;
const DIGITS = 20;
const HIGHEST = 10n ** BigInt(DIGITS) - 1n;
/** Times before 1970 are negative; this lifts all of them above zero (nanoseconds, about 300 years). */
const TIME_BASE = 10n ** 19n;

export interface ListOrder {
  readonly by: 'name' | 'size' | 'time';
  readonly reverse: boolean;
  readonly directoriesFirst: boolean;
}

/** A key that ends with the name itself, so that ties are decided by its bytes and `namesOf` can give it back. */
export function sortKey(name: string, isDirectory: boolean, stat: BigIntStats | undefined, order: ListOrder): string {
  // when the order is reversed, directories still come first
  const group = order.directoriesFirst ? String(Number(isDirectory === order.reverse)) : '';
  return `${group}${measure(stat, order)}${foldedName(name)}${END}${name}`;
}

/**
 * Keys for the order by name alone, in which `sortKey` would put these names, some at a time; made by a few calls of the engine where
 * all of those are ASCII. `alone`: no others will be sorted with them; then names that folding leaves as they are may be their own keys.
 */
export function* nameKeys(names: readonly string[], alone: boolean): Generator<readonly string[]> {
  const asTheyAre = alone && areFolded(names);
  for (const some of someOf(names)) yield asTheyAre ? some : keysOf(some);
}

function areFolded(names: readonly string[]): boolean {
  for (const some of someOf(names)) {
    const all = END + some.join(END);
    if (foldedAscii(all) !== all) return false;
  }
  return true;
}

function keysOf(names: readonly string[]): readonly string[] {
  const folded = foldedAscii(END + names.join(END));
  if (folded === undefined) return names.map((name) => foldedName(name) + END + name);
  const parts = folded.slice(END.length).split(END);
  return names.map((name, index) => `${parts[index] ?? ''}${END}${name}`);
}

/** What `foldedName` makes of each of these names, each with END before it; undefined when not all of them are ASCII. */
function foldedAscii(all: string): string | undefined {
  return Buffer.byteLength(all) === all.length ? all.toLowerCase().replaceAll(`${END}.`, END) : undefined;
}

/** The names that these keys were made of. */
export function namesOf(keys: readonly string[]): readonly string[] {
  return keys.join('').includes(END) ? keys.map((key) => key.slice(key.lastIndexOf(END) + END.length)) : keys;
}

/** Those that do not begin with a dot. */
export function withoutHidden(names: readonly string[]): readonly string[] {
  for (const some of someOf(names)) {
    if (`${END}${some.join(END)}`.includes(`${END}.`)) return names.filter((name) => !name.startsWith('.'));
  }
  return names;
}

function* someOf(names: readonly string[]): Generator<readonly string[]> {
  for (let at = 0; at < names.length; at += JOINED) yield names.slice(at, at + JOINED);
}

/** Largest and newest first. */
function measure(stat: BigIntStats | undefined, order: ListOrder): string {
  if (order.by === 'name') return '';
  const value = stat === undefined ? 0n : order.by === 'size' ? stat.size : stat.mtimeNs + TIME_BASE;
  return String(HIGHEST - value).padStart(DIGITS, '0');
}

/** A name as names are compared: without regard to case and to a leading dot. */
function foldedName(name: string): string {
  const text = textOf(name).toLowerCase();
  return byteString(text.startsWith('.') ? text.slice(1) : text);
}
