/** Sort keys of directory listings: byte strings whose byte order is the order wanted. Pure functions. */
import type { BigIntStats } from 'node:fs';
import { byteString, textOf } from '../../host/names.ts';

/** Separates the parts of a key; no name contains it, and it sorts before every other byte. */
const END = '\0';
const DIGITS = 20;
const HIGHEST = 10n ** BigInt(DIGITS) - 1n;
/** Times before 1970 are negative; this lifts all of them above zero (nanoseconds, about 300 years). */
const TIME_BASE = 10n ** 19n;

export interface ListOrder {
  readonly by: 'name' | 'size' | 'time';
  readonly reverse: boolean;
  readonly directoriesFirst: boolean;
}

/** A key that ends with the name itself, so that ties are decided by its bytes and `nameOf` can give it back. */
export function sortKey(name: string, isDirectory: boolean, stat: BigIntStats | undefined, order: ListOrder): string {
  // when the order is reversed, directories still come first
  const group = order.directoriesFirst ? String(Number(isDirectory === order.reverse)) : '';
  return `${group}${measure(stat, order)}${foldedName(name)}${END}${name}`;
}

/** The name at the end of a key. */
export function nameOf(key: string): string {
  return key.slice(key.lastIndexOf(END) + 1);
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
