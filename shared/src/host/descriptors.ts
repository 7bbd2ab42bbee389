/**
 * Handling objects by descriptor: `/proc/self/fd/N` is the object that was opened, whatever happens to its path. Everything that
 * root does to a file goes through these few functions; they never take a whole path from a caller.
 *
 * Names are **byte strings**: JavaScript strings of which every character is one byte (latin1). Linux file names are bytes, and
 * byte strings keep invalid UTF-8, compare in byte order and cost no more than ordinary strings.
 */
import { isAscii, joinPath } from './names.ts';
import { closeSync, constants, fstatSync, lstatSync, openSync, readlinkSync, type BigIntStats } from 'node:fs';

/** open(2); node:fs has no constant for it. */
export const O_PATH = 0o10000000;

const { O_DIRECTORY, O_NOFOLLOW, O_NONBLOCK, O_NOCTTY } = constants;
/** open(2): holds a directory and nothing else, never through a link. */
export const HELD_DIRECTORY = O_PATH | O_NOFOLLOW | O_DIRECTORY;
const BIGINT = { bigint: true } as const;
const QUIET = { bigint: false, throwIfNoEntry: false } as const;

/**
 * `/proc/self/fd/` by the number that `self` leads to here (proc_pid(5)), which a process keeps for life: for each look the kernel has
 * one link less to follow. Not `process.pid`: that is another number where /proc counts for another namespace than this process's.
 */
const HELD = ownDescriptors();

function ownDescriptors(): string {
  try {
    return `/proc/${readlinkSync('/proc/self')}/fd/`;
  } catch {
    return '/proc/self/fd/'; // without /proc, whoever needs it is told
  }
}

/** The held object as a path that the kernel resolves to it and nothing else. */
export function heldPath(fd: number): string {
  return `${HELD}${fd}`;
}

/** In place of a descriptor: the root directory, which a process has without one. */
export const ROOT = -1;

/** An entry of a held directory, or of `ROOT`. `name` is a byte string of one component. */
export function childPath(fd: number, name: string): string | Buffer {
  const path = fd === ROOT ? `/${name}` : `${HELD}${fd}/${name}`;
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
  return openSync(childPath(fd, name), HELD_DIRECTORY);
}

/** Opens the held object itself for reading or writing; never blocks and never becomes a controlling terminal. */
export function reopen(fd: number, flags: number): number {
  return openSync(heldPath(fd), flags | O_NONBLOCK | O_NOCTTY);
}

export function statHeld(fd: number): BigIntStats {
  return fstatSync(fd, BIGINT);
}

/** lstat of an entry of a held directory; undefined when it is gone or may not be examined. */
export function statEntry(fd: number, name: string): BigIntStats | undefined {
  try {
    return lstatSync(childPath(fd, name), BIGINT);
  } catch {
    return undefined;
  }
}

/** Longer paths, in bytes, take the kernel as long as the way over the descriptor. */
const LONGEST_PREFIX = 256;

/** Whether a real path can be used in place of a descriptor, and it would be worth while. */
export function isPathUsable(realPath: string): boolean {
  return realPath.length < LONGEST_PREFIX && isAscii(realPath);
}

/**
 * What to put before the name of an entry to look at it with `statBelow` or `glanceBelow`; always ASCII. `at` leads to the directory
 * and nothing else. `byPath` is for calls without privilege alone: there entries may be looked at by their path, which the kernel
 * resolves in half the time, because a directory above that is exchanged meanwhile can show nothing that this account may not see
 * anyway.
 */
export function entryPrefix(at: string, realPath: string, byPath: boolean): string {
  return joinPath(byPath && isPathUsable(realPath) ? realPath : at, '');
}

/** As `glanceBelow`, the whole status. */
export function statBelow(prefix: string, name: string, plain: boolean): BigIntStats | undefined {
  try {
    const path = prefix + name;
    return lstatSync(plain ? path : Buffer.from(path, 'latin1'), BIGINT);
  } catch {
    return undefined;
  }
}

/** What walks ask of a status, in numbers: reckoning with big integers costs them more than the look itself. */
export interface Glance {
  readonly dev: number;
  /** A big integer where a number would not be exact, as on some file systems made of several. */
  readonly ino: number | bigint;
  readonly mode: number;
  readonly nlink: number;
  readonly uid: number;
  readonly rdev: number;
  /** Bytes; exact up to 2^53. */
  readonly size: number;
  /** Units of 512 bytes, stat(2). */
  readonly blocks: number;
  /** Milliseconds since 1970, exact to a microsecond. */
  readonly mtimeMs: number;
}

/**
 * lstat of one of many entries of a directory; undefined when it is gone or may not be examined. `prefix` is that of
 * `entryPrefix`; `plain` says that the name is ASCII, too.
 */
export function glanceBelow(prefix: string, name: string, plain: boolean): Glance | undefined {
  try {
    const path = prefix + name;
    return glanceAt(plain ? path : Buffer.from(path, 'latin1'));
  } catch {
    return undefined;
  }
}

/** lstat; undefined when nothing is there. Throws the system error. */
export function glanceAt(path: string | Buffer): Glance | undefined {
  const stat = lstatSync(path, QUIET);
  return stat === undefined || stat.ino <= Number.MAX_SAFE_INTEGER ? stat : inNumbers(lstatSync(path, BIGINT));
}

/** Status of a held object. */
export function glanceHeld(fd: number): Glance {
  const stat = fstatSync(fd);
  return stat.ino <= Number.MAX_SAFE_INTEGER ? stat : inNumbers(statHeld(fd));
}

/** The same of a whole status. */
export function inNumbers(stat: BigIntStats): Glance {
  const { dev, ino, mode, nlink, uid, rdev, size, blocks, mtimeNs } = stat;
  return {
    dev: Number(dev),
    ino,
    mode: Number(mode),
    nlink: Number(nlink),
    uid: Number(uid),
    rdev: Number(rdev),
    size: Number(size),
    blocks: Number(blocks),
    mtimeMs: Number(mtimeNs) / 1e6,
  };
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

/** Closes descriptors, skipping those that are undefined, and `ROOT`, which is none. */
export function closeAll(...fds: readonly (number | undefined)[]): void {
  for (const fd of fds) if (fd !== undefined && fd !== ROOT) closeSync(fd);
}

/** True when both are the same object of the same file system. */
export function sameObject<Status extends BigIntStats | Glance>(a: Status, b: Status): boolean {
  return a.ino === b.ino && a.dev === b.dev;
}
