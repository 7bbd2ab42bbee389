/**
 * Which processes hold which sockets, from the links in /proc/<pid>/fd. Shows what the kernel lets this process see (all of it as
 * root), but nothing of processes that the guard protects. Blocks: for worker threads.
 */
import { readdirSync, readFileSync, readlinkSync } from 'node:fs';
import { join } from 'node:path';
import { errnoOf } from '../errors.ts';
import type { Guard } from './guard.ts';
import { numbersAmong } from './procfs.ts';

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
    if (guard.isProtected({ realPath: `/proc/${pid}/fd`, stat: undefined }, 'read')) continue;
    const held = socketsOf(join(root, `/proc/${pid}/fd`), wanted);
    if (held.length === 0) continue;
    const name = nameOf(join(root, `/proc/${pid}/comm`));
    for (const { fd, inode } of held) {
      const owner = { name, pid, fd };
      const others = owners.get(inode);
      if (others === undefined) owners.set(inode, [owner]);
      else others.push(owner);
    }
  }
  return owners;
}

const SOCKET = 'socket:[';

/** The wanted sockets among a process's descriptors. */
function socketsOf(directory: string, wanted: ReadonlySet<number>): { fd: number; inode: number }[] {
  const held: { fd: number; inode: number }[] = [];
  for (const fd of numbersIn(directory)) {
    const target = targetOf(`${directory}/${fd}`);
    if (!target.startsWith(SOCKET)) continue;
    const inode = Number(target.slice(SOCKET.length, -1));
    if (wanted.has(inode)) held.push({ fd, inode });
  }
  return held;
}

function targetOf(link: string): string {
  try {
    return readlinkSync(link);
  } catch (error) {
    if (errnoOf(error) === undefined) throw error;
    return '';
  }
}

function nameOf(file: string): string {
  return unlessGone(() => readFileSync(file, 'utf8').replace(/\n$/, ''), '?');
}

/** The entries of a directory that are numbers, in order. */
function numbersIn(directory: string): number[] {
  return numbersAmong(unlessGone(() => readdirSync(directory), []));
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
