/**
 * Handling objects by descriptor: `/proc/self/fd/N` is the object that was opened, whatever happens to its path. Everything that
 * root does to a file goes through these few functions; they never take a whole path from a caller.
 *
 * Names are **byte strings**: JavaScript strings of which every character is one byte (latin1). Linux file names are bytes, and
 * byte strings keep invalid UTF-8, compare in byte order and cost no more than ordinary strings.
 */
import { isAscii } from './names.ts';
import { closeSync, constants, fstatSync, lstatSync, openSync, readlinkSync, type BigIntStats } from 'node:fs';

/** open(2); node:fs has no constant for it. */
export const O_PATH = 0o10000000;

const { O_DIRECTORY, O_NOFOLLOW, O_NONBLOCK, O_NOCTTY } = constants;

/** The held object as a path that the kernel resolves to it and nothing else. */
export function heldPath(fd: number): string {
  return `/proc/self/fd/${fd}`;
}

/** An entry of a held directory. `name` is a byte string of one component. */
export function childPath(fd: number, name: string): string | Buffer {
  const path = `/proc/self/fd/${fd}/${name}`;
  return isAscii(path) ? path : Buffer.from(path, 'latin1');
}

/** The root directory, held. */
export function openRoot(): number {
  return openSync('/', O_PATH | O_DIRECTORY);
}

/** Holds an entry of a held directory without following it. Throws the system error. */
export function openEntry(fd: number, name: string): number {
  return openSync(childPath(fd, name), O_PATH | O_NOFOLLOW);
}

/** Holds a directory in a held directory; a symbolic link gives ENOTDIR. Throws the system error. */
export function openDirectory(fd: number, name: string): number {
  return openSync(childPath(fd, name), O_PATH | O_NOFOLLOW | O_DIRECTORY);
}

/** Opens the held object itself for reading or writing; never blocks and never becomes a controlling terminal. */
export function reopen(fd: number, flags: number): number {
  return openSync(heldPath(fd), flags | O_NONBLOCK | O_NOCTTY);
}

export function statHeld(fd: number): BigIntStats {
  return fstatSync(fd, { bigint: true });
}

const BIGINT = { bigint: true } as const;

/** lstat of an entry of a held directory; undefined when it is gone or may not be examined. */
export function statEntry(fd: number, name: string): BigIntStats | undefined {
  return statBelow(`${heldPath(fd)}/`, name);
}

/** As `statEntry`, for many entries of one directory: `prefix` is its path with a slash at its end, ASCII alone. */
export function statBelow(prefix: string, name: string): BigIntStats | undefined {
  const path = prefix + name;
  try {
    return lstatSync(isAscii(name) ? path : Buffer.from(path, 'latin1'), BIGINT);
  } catch {
    return undefined;
  }
}

/** Target of a symbolic link in a held directory as a byte string; undefined when the entry is no link. */
export function linkTarget(fd: number, name: string): string | undefined {
  try {
    return readlinkSync(childPath(fd, name), { encoding: 'latin1' });
  } catch {
    return undefined;
  }
}

/** Where the held object is now (proc(5)); `PATH (deleted)` when it has been removed. */
export function realPathOf(fd: number): string {
  return readlinkSync(heldPath(fd));
}

/** Closes descriptors, skipping those that are undefined. */
export function closeAll(...fds: readonly (number | undefined)[]): void {
  for (const fd of fds) if (fd !== undefined) closeSync(fd);
}

/** True when both are the same object of the same file system. */
export function sameObject(a: BigIntStats, b: BigIntStats): boolean {
  return a.ino === b.ino && a.dev === b.dev;
}
