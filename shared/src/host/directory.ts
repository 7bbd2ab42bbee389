/** Reads the names in a held directory, one by one, as the bytes they are. */
import { opendirSync, readdirSync } from 'node:fs';
import { heldPath } from './descriptors.ts';

export interface DirectoryName {
  /** Byte string. */
  readonly name: string;
  /** As the file system says without looking at the entry. */
  readonly isDirectory: boolean;
}

/** Names fetched from the kernel at a time. */
const AT_A_TIME = 256;

/** All names but `.` and `..`, in no order. Throws the system error when the directory cannot be read. */
export function* readDirectory(fd: number): Generator<DirectoryName> {
  // Node's types know the encoding "buffer" for readdir alone
  const directory = opendirSync(heldPath(fd), { encoding: 'buffer' as BufferEncoding, bufferSize: AT_A_TIME });
  try {
    for (let entry = directory.readSync(); entry !== null; entry = directory.readSync()) {
      const name = entry.name as unknown as Buffer;
      yield { name: name.toString('latin1'), isDirectory: entry.isDirectory() };
    }
  } finally {
    directory.closeSync();
  }
}

/** Directories up to this size (st_size, bytes) are read in one go: ten thousand names or so. */
const SMALL = 256 * 1024;

/**
 * The names alone, where nothing else is asked: several times faster than entry by entry. `size` is that of the directory itself;
 * a large one is read piece by piece, so that memory does not grow with it. Throws the system error.
 */
export function readNames(fd: number, size: bigint): Iterable<string> {
  return size <= SMALL ? readdirSync(heldPath(fd), 'latin1') : namesOf(fd);
}

function* namesOf(fd: number): Generator<string> {
  for (const { name } of readDirectory(fd)) yield name;
}
