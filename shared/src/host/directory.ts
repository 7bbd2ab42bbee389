/** Reads the entries of a held directory, names as the bytes they are: many at a time, because one by one costs several times as much. */
import { opendirSync, readdirSync } from 'node:fs';
import { heldPath, statEntry } from './descriptors.ts';

/** An entry as the file system tells it, where it can without a look at the entry itself. */
export interface DirectoryEntry {
  /** Byte string. */
  readonly name: string;
  isDirectory(): boolean;
}

/** Directories up to this size (st_size, bytes) are read in one go: ten thousand names or so. */
const SMALL = 256 * 1024;
/** Entries of a larger one that are handed on at a time. */
const AT_A_TIME = 1024;
/** Names fetched from the kernel at a time. */
const FETCHED = 256;

/**
 * All entries but `.` and `..`, in no order. `size` is that of the directory itself (st_size): a large one is read piece by piece,
 * so that memory does not grow with it. Throws the system error when the directory cannot be read.
 */
export function* readDirectory(fd: number, size: bigint): Generator<readonly DirectoryEntry[]> {
  if (size <= SMALL) yield readAtOnce(fd);
  else yield* readByPieces(fd);
}

/** The names alone, where nothing else is asked; as `readDirectory`. */
export function* readNames(fd: number, size: bigint): Generator<readonly string[]> {
  if (size <= SMALL) yield readdirSync(heldPath(fd), 'latin1');
  else for (const entries of readByPieces(fd)) yield entries.map(({ name }) => name);
}

function readAtOnce(fd: number): readonly DirectoryEntry[] {
  try {
    return readdirSync(heldPath(fd), { encoding: 'latin1', withFileTypes: true });
  } catch {
    // On a file system that tells no types Node looks at the entries itself, and misses those that are not ASCII.
    return readdirSync(heldPath(fd), 'latin1').map((name) => ({
      name,
      isDirectory: () => statEntry(fd, name)?.isDirectory() === true,
    }));
  }
}

function* readByPieces(fd: number): Generator<readonly DirectoryEntry[]> {
  // Node's types know the encoding "buffer" for readdir alone
  const directory = opendirSync(heldPath(fd), { encoding: 'buffer' as BufferEncoding, bufferSize: FETCHED });
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
