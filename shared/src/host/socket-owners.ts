/**
 * Which processes hold which sockets, from the links in /proc/<pid>/fd. Shows what the kernel lets this process see (all of it as
 * root), but nothing of processes that the guard protects. Blocks: for worker threads, of which two may share the links.
 */
import { existsSync, readdirSync, readFileSync, readlinkSync } from 'node:fs';
import { errnoOf } from '../errors.ts';
import type { Piece } from '../workers/team.ts';
import type { Guard } from './guard.ts';
import { below, numbersAmong } from './procfs.ts';

export interface SocketOwner {
  /** The process's own name for itself (`comm`), at most 15 bytes. */
  readonly name: string;
  readonly pid: number;
  readonly fd: number;
}

/** Pieces that many links are divided into: few, because the next one that is free takes the next. */
const PIECES = 10;
/** Links of a piece; more than the most would be looked at for too long. */
const LEAST_LINKS = 256;
const MOST_LINKS = 4096;

/**
 * The descriptors of all processes but protected ones, ordered by pid and number, in pieces: each string has a pid and then
 * descriptors, separated by blanks. `stopped` is asked before each process.
 */
export function listDescriptors(root: string, guard: Guard, stopped: () => boolean): readonly Piece[] {
  const held = new Map<number, readonly number[]>();
  let links = 0;
  for (const pid of numbersIn(below(root, '/proc'))) {
    if (stopped()) break;
    // most belong to others, which shows in less time than the guard takes
    if (!existsSync(below(root, `/proc/${pid}/fd/.`))) continue;
    // The fixture's root is no part of the path that the guard knows.
    if (guard.isProtected({ realPath: `/proc/${pid}/fd`, stat: undefined }, 'read')) continue;
    const descriptors = numbersIn(below(root, `/proc/${pid}/fd`));
    if (descriptors.length > 0) held.set(pid, descriptors);
    links += descriptors.length;
  }
  return divided(held, Math.min(Math.max(Math.ceil(links / PIECES), LEAST_LINKS), MOST_LINKS));
}

function divided(held: ReadonlyMap<number, readonly number[]>, most: number): readonly Piece[] {
  const pieces: string[][] = [];
  let room = 0;
  for (const [pid, descriptors] of held) {
    for (let at = 0; at < descriptors.length;) {
      if (room === 0) {
        pieces.push([]);
        room = most;
      }
      const some = descriptors.slice(at, at + room);
      pieces.at(-1)?.push(`${pid} ${some.join(' ')}`);
      at += some.length;
      room -= some.length;
    }
  }
  return pieces;
}

const SOCKET = 'socket:[';

/** The inodes of the sockets behind the descriptors of a piece, in their order; 0 for what is no socket, or gone. */
export function socketsBehind(root: string, piece: Piece): Float64Array {
  const inodes: number[] = [];
  for (const entry of piece) {
    const [pid = '', ...descriptors] = entry.split(' ');
    const directory = below(root, `/proc/${pid}/fd/`);
    for (const fd of descriptors) {
      const target = targetOf(directory + fd);
      inodes.push(target.startsWith(SOCKET) ? Number(target.slice(SOCKET.length, -1)) : 0);
    }
  }
  return Float64Array.from(inodes);
}

/**
 * Notes the owners of sockets, by inode, as the members of a JSON array, in the order of the pieces. Only those sockets count that
 * `owners` has already, with an empty text. Gives whether there is any. `sockets` is what is behind each of the pieces.
 */
export function noteOwners(
  root: string,
  pieces: readonly Piece[],
  sockets: readonly Float64Array[],
  owners: Map<number, string>,
): boolean {
  let found = false;
  for (const [index, piece] of pieces.entries()) {
    const inodes = sockets[index] ?? new Float64Array();
    let at = 0;
    for (const entry of piece) {
      const [pid = '', ...descriptors] = entry.split(' ');
      let begin = '';
      for (const fd of descriptors) {
        const inode = inodes[at++] ?? 0;
        const others = inode === 0 ? undefined : owners.get(inode);
        if (others === undefined) continue;
        if (begin === '') begin = `{"name":${JSON.stringify(nameOf(below(root, `/proc/${pid}/comm`)))},"pid":${pid},"fd":`;
        owners.set(inode, others === '' ? `${begin}${fd}}` : `${others},${begin}${fd}}`);
        found = true;
      }
    }
  }
  return found;
}

function targetOf(link: string): string {
  return unlessGone(() => readlinkSync(link), '');
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
