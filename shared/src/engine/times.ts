/** Times of the engine: seconds since 1970 or RFC 3339 with any offset and nanoseconds, shown as RFC 3339 in UTC to the second. */

import { integer, text, type Members } from './json.ts';

/** What the engine writes for "never". */
const NEVER = '0001-01-01T00:00:00Z';

/** RFC 3339 UTC; text that is no time is given back as it is. */
export function utcTime(value: unknown): string {
  if (typeof value === 'number') return iso(value * 1000);
  if (typeof value !== 'string') return NEVER;
  const time = Date.parse(value);
  return Number.isNaN(time) ? value.toWellFormed() : iso(time);
}

export function isNever(time: string): boolean {
  return time === '' || time === NEVER;
}

function iso(milliseconds: number): string {
  const date = new Date(milliseconds);
  return Number.isNaN(date.getTime()) ? NEVER : date.toISOString().replace(/\.\d+Z$/, 'Z');
}

/** Order of a list whose members say when they were created, in seconds; by id where that is the same. */
export function newestFirst(a: Members, b: Members): number {
  return integer(b['Created']) - integer(a['Created']) || (text(a['Id']) < text(b['Id']) ? -1 : 1);
}

/** How long ago: `9s`, `5m9s`, `26h0m3s`. */
export function since(time: string, now = Date.now()): string {
  const seconds = Math.max(0, Math.floor((now - Date.parse(time)) / 1000));
  const [hours, minutes] = [Math.floor(seconds / 3600), Math.floor(seconds / 60) % 60];
  const rest = `${String(seconds % 60)}s`;
  if (hours > 0) return `${String(hours)}h${String(minutes)}m${rest}`;
  return minutes > 0 ? `${String(minutes)}m${rest}` : rest;
}

/** RFC 3339, or seconds since 1970 with at most nine decimals. */
const UNIX = /^\d{1,12}(?:\.\d{1,9})?$/;
const RFC3339 = /^\d{4}-\d\d-\d\d[Tt ]\d\d:\d\d:\d\d(?:\.(\d{1,9}))?(?:[Zz]|[+-]\d\d:\d\d)$/;

/** A caller's time as the engine takes it, seconds since 1970; undefined for what is no time. */
export function unixTime(written: string): string | undefined {
  if (UNIX.test(written)) return written;
  const match = RFC3339.exec(written);
  const time = match === null ? NaN : Date.parse(written.replace(' ', 'T'));
  if (Number.isNaN(time) || time < 0) return undefined;
  const fraction = match?.[1];
  return `${String(Math.floor(time / 1000))}${fraction === undefined ? '' : `.${fraction}`}`;
}
