/** Rules for path arguments: what is a path at all, and its lexically cleaned form. Touches no file. */
import { StewardError } from '../errors.ts';

/** PATH_MAX without its NUL, in bytes. */
const MAX_PATH = 4095;
/** NAME_MAX in bytes. */
const MAX_NAME = 255;
/** What a clean path does not hold but for `/` itself: a component that is empty, `.` or `..`. */
const UNCLEAN = /\/\.{0,2}(?:\/|$)/;

/** Throws `path_not_absolute` or `path_invalid` (NUL, lone surrogate, over 4095 bytes, a component over 255 bytes). */
export function checkPath(path: string): void {
  if (!path.startsWith('/')) throw new StewardError('path_not_absolute', { path });
  const bytes = Buffer.byteLength(path);
  const fits = bytes <= MAX_NAME || (bytes <= MAX_PATH && path.split('/').every((name) => Buffer.byteLength(name) <= MAX_NAME));
  const valid = path.isWellFormed() && !path.includes('\0') && fits;
  if (!valid) throw new StewardError('path_invalid', { path: path.toWellFormed() });
}

/** Checks a path and removes `//`, `.`, `..` and a final `/` by its text alone. `..` of the root is the root. */
export function cleanPath(path: string): string {
  checkPath(path);
  if (!UNCLEAN.test(path)) return path;
  const names: string[] = [];
  for (const name of path.split('/')) {
    if (name === '..') names.pop();
    else if (name !== '' && name !== '.') names.push(name);
  }
  return `/${names.join('/')}`;
}

/** True when `path` is `tree` or lies below it, by whole components. `/` covers everything absolute. */
export function isWithin(path: string, tree: string): boolean {
  if (tree === '/') return path.startsWith('/');
  return path.startsWith(tree) && (path.length === tree.length || path[tree.length] === '/');
}
