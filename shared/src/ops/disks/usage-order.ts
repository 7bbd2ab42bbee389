/** Sort keys of disks/usage: byte strings whose byte order is files before directories, each largest first. Pure functions. */

export type UsageKind = 'file' | 'directory';

/** Digits of the largest size that a number holds exactly. */
const DIGITS = 16;
const HIGHEST = Number.MAX_SAFE_INTEGER;

/** A key that `parseKey` takes apart again; equal sizes are ordered by path. `path` is a byte string. */
export function bySize(kind: UsageKind, path: string, size: number): string {
  return `${kind === 'file' ? 'f' : 'z'}${String(HIGHEST - Math.min(size, HIGHEST)).padStart(DIGITS, '0')}${path}`;
}

export function parseKey(key: string): { readonly kind: UsageKind; readonly path: string; readonly size: number } {
  return {
    kind: key.startsWith('f') ? 'file' : 'directory',
    path: key.slice(1 + DIGITS),
    size: HIGHEST - Number(key.slice(1, 1 + DIGITS)),
  };
}
