/**
 * Which processes hold which sockets, from the links in /proc/<pid>/fd. Shows what the kernel lets this process see (all of it as
 * root), but nothing of processes that the guard protects. Blocks: for worker threads.
 */
import { readdirSync, readFileSync, readlinkSync } from 'node:fs';
import { join } from 'node:path';
import { errnoOf } from '../errors.ts';
import type { Guard } from './guard.ts';

export interface SocketOwner {
  /** The process's own name for itself (`comm`), at most 15 bytes. */
  readonly name: string;
  readonly pid: number;
  readonly fd: number;
}

/** Owners by inode, ordered by pid and descriptor; only of `wanted` sockets. `stopped` is asked before each process. */
export function findSocketOwners(
  root: string,
  wanted: ReadonlySet<number>,
  guard: Guard,
  stopped: () => boolean,
): ReadonlyMap<number, readonly SocketOwner[]> {
  const owners = new Map<number, SocketOwner[]>();
  for (const pid of numbersIn(join(root, '/proc'))) {
    if (stopped()) break;
    // The fixture's root is no part of the path that the guard knows.
    if (guard.isProtected({ realPath: `/proc/${String(pid)}/fd`, stat: undefined }, 'read')) continue;
    const held = socketsOf(join(root, `/proc/${String(pid)}/fd`)).filter(({ inode }) => wanted.has(inode));
    if (held.length === 0) continue;
    const name = nameOf(join(root, `/proc/${String(pid)}/comm`));
    for (const { fd, inode } of held) owners.set(inode, [...(owners.get(inode) ?? []), { name, pid, fd }]);
  }
  return owners;
}

function socketsOf(directory: string): { fd: number; inode: number }[] {
  return numbersIn(directory).flatMap((fd) => {
    const target = unlessGone(() => readlinkSync(`${directory}/${String(fd)}`), '');
    const inode = /^socket:\[(\d+)\]$/.exec(target)?.[1];
    return inode === undefined ? [] : [{ fd, inode: Number(inode) }];
  });
}

function nameOf(file: string): string {
  return unlessGone(() => readFileSync(file, 'utf8').replace(/\n$/, ''), '?');
}

/** The entries of a directory that are numbers, in order. */
function numbersIn(directory: string): number[] {
  const names = unlessGone(() => readdirSync(directory), []);
  return names
    .filter((name) => /^\d+$/.test(name))
    .map(Number)
    .sort((a, b) => a - b);
}

/** Processes end while they are looked at, and most belong to others: neither is worth a word. */
function unlessGone<T>(read: () => T, otherwise: T): T {
  try {
    return read();
  } catch (error) {
    if (errnoOf(error) === undefined) throw error;
    return otherwise;
  }
}
