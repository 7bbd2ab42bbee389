/** Mode bits as text: `-rw-r--r--`, octal, and the type letters of inode(7). Pure functions. */
import type { BigIntStats } from 'node:fs';

export const S_ISUID = 0o4000;
export const S_ISGID = 0o2000;
export const S_ISVTX = 0o1000;
/** All bits that chmod(2) can set. */
export const MODE_BITS = 0o7777;

/** The bits of a mode that say the type. */
export const S_IFMT = 0o170000;
/** File types of inode(7). */
export const S_IFDIR = 0o040000;
export const S_IFCHR = 0o020000;
export const S_IFBLK = 0o060000;
export const S_IFREG = 0o100000;
export const S_IFLNK = 0o120000;

/** Whether a mode is that of an object of this type; cheaper than asking the status, for walks. */
export function isType(mode: number | bigint, type: number): boolean {
  return (Number(mode) & S_IFMT) === type;
}

/** File types of inode(7) with their letters in `ls -l` and in `find -type`. */
const TYPES: Readonly<Record<number, { readonly letter: string; readonly find: FindType; readonly name: TypeName }>> = {
  0o140000: { letter: 's', find: 's', name: 'socket' },
  0o120000: { letter: 'l', find: 'l', name: 'symlink' },
  0o100000: { letter: '-', find: 'f', name: 'file' },
  0o060000: { letter: 'b', find: 'b', name: 'block' },
  0o040000: { letter: 'd', find: 'd', name: 'dir' },
  0o020000: { letter: 'c', find: 'c', name: 'char' },
  0o010000: { letter: 'p', find: 'p', name: 'fifo' },
};

export type FindType = 'f' | 'd' | 'l' | 'b' | 'c' | 'p' | 's';
export type TypeName = 'file' | 'dir' | 'symlink' | 'char' | 'block' | 'fifo' | 'socket';

/** The permission bits of a status, setuid, setgid and sticky included. */
export function permissionsOf(stat: BigIntStats): number {
  return Number(stat.mode) & MODE_BITS;
}

export function typeName(mode: number): TypeName {
  return TYPES[mode & S_IFMT]?.name ?? 'file';
}

export function findType(mode: number): FindType {
  return TYPES[mode & S_IFMT]?.find ?? 'f';
}

/** The type of a letter of `find -type`, as the bits of a mode; undefined when there is none. */
export function typeBits(letter: string): number | undefined {
  const found = Object.entries(TYPES).find(([, type]) => type.find === letter);
  return found === undefined ? undefined : Number(found[0]);
}

/** `0644`: at least four octal digits. */
export function octalMode(mode: number): string {
  return (mode & MODE_BITS).toString(8).padStart(4, '0');
}

/** As `ls -l` shows it: `-rwsr-xr-t`. `mode` with its type bits. */
export function modeString(mode: number): string {
  const letter = TYPES[mode & S_IFMT]?.letter ?? '?';
  return (
    letter + triple(mode >> 6, mode & S_ISUID, 's') + triple(mode >> 3, mode & S_ISGID, 's') + triple(mode, mode & S_ISVTX, 't')
  );
}

function triple(bits: number, special: number, letter: string): string {
  const execute = (bits & 1) !== 0;
  const last = special !== 0 ? (execute ? letter : letter.toUpperCase()) : execute ? 'x' : '-';
  return ((bits & 4) !== 0 ? 'r' : '-') + ((bits & 2) !== 0 ? 'w' : '-') + last;
}
