/** Reads the entries of a directory, names as the bytes they are: many at a time, because one by one costs several times as much. */
import { opendirSync, readdirSync } from 'node:fs';
import { statBelow } from './descriptors.ts';
import { isAscii, joinPath } from './names.ts';
import type { PendingNames } from './pending-names.ts';

/** An entry as the file system tells it, where it can without a look at the entry itself. */
export interface DirectoryEntry {
  /** Byte string. */
  readonly name: string;
  isDirectory(): boolean;
}

/** Directories up to this size (st_size, bytes) are read in one go: some tens of thousands of entries. */
const SMALL = 2 * 1024 * 1024;
/** The same where names alone are read. */
const SMALL_FOR_NAMES = 4 * SMALL;
/** Entries of a larger one that are handed on at a time. */
const AT_A_TIME = 1024;
/** Names fetched from the kernel at a time. */
const FETCHED = 256;
/** Made once: a walk asks for every directory. */
const NAMES = { encoding: 'latin1' } as const;
const ENTRIES = { encoding: 'latin1', withFileTypes: true } as const;

/**
 * All entries but `.` and `..`, in no order. `at` is a path that leads to the directory and nothing else, mostly that of a held
 * descriptor; ASCII. `size` is that of the directory itself (st_size): a large one is read piece by piece, so that memory does not
 * grow with it. Throws the system error when the directory cannot be read.
 */
export function readDirectory(at: string, size: number | bigint): Iterable<readonly DirectoryEntry[]> {
  return size <= SMALL ? [readAtOnce(at)] : readByPieces(at);
}

/** The names alone, where nothing else is asked; as `readDirectory`. */
export function readNames(at: string, size: number | bigint): Iterable<readonly string[]> {
  return size <= SMALL_FOR_NAMES ? [readdirSync(at, NAMES)] : readNamesByPieces(at);
}

/**
 * The names of the entries that are directories, or that are none (`only`, `never`), or of all; directories are added to `pending`
 * besides.
 */
export function sortOut(
  entries: readonly DirectoryEntry[],
  directories: 'only' | 'never' | undefined,
  pending: Pick<PendingNames, 'add'> | undefined,
): string[] {
  const unwanted = directories === undefined ? undefined : directories === 'never';
  const wanted: string[] = [];
  for (const entry of entries) {
    const isDirectory = entry.isDirectory();
    if (isDirectory) pending?.add(entry.name);
    if (isDirectory !== unwanted) wanted.push(entry.name);
  }
  return wanted;
}

function readAtOnce(at: string): readonly DirectoryEntry[] {
  try {
    return readdirSync(at, ENTRIES);
  } catch {
    // On a file system that tells no types Node looks at the entries itself, and misses those that are not ASCII.
    const prefix = joinPath(at, '');
    return readdirSync(at, NAMES).map((name) => ({
      name,
      isDirectory: () => statBelow(prefix, name, isAscii(name))?.isDirectory() === true,
    }));
  }
}

function* readNamesByPieces(at: string): Generator<readonly string[]> {
  for (const entries of readByPieces(at)) yield entries.map(({ name }) => name);
}

function* readByPieces(at: string): Generator<readonly DirectoryEntry[]> {
  // Node's types know the encoding "buffer" for readdir alone
  const directory = opendirSync(at, { encoding: 'buffer' as BufferEncoding, bufferSize: FETCHED });
  try {
    let entries: DirectoryEntry[] = [];
    for (let entry = directory.readSync(); entry !== null; entry = directory.readSync()) {
      const isDirectory = entry.isDirectory();
      const name = (entry.name as unknown as Buffer).toString('latin1');
      if (entries.push({ name, isDirectory: () => isDirectory }) < AT_A_TIME) continue;
      yield entries;
      entries = [];
    }
    yield entries;
  } finally {
    directory.closeSync();
  }
}
