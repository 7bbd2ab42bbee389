/** Makes files that do not exist yet, with the directories above them, each step below a directory that is held. */
import { closeSync, constants, mkdirSync, openSync, unlinkSync } from 'node:fs';
import { errnoOf, systemError } from '../../errors.ts';
import { childPath, closeAll, openDirectory, sameObject, statEntry, statHeld } from '../../host/descriptors.ts';
import { byteString, escapeName, joinPath } from '../../host/names.ts';
import type { PathSubject } from '../../host/subject.ts';
import { syncFile, withUmask, writeFully } from './writing.ts';

const DIRECTORY_MODE = 0o755;
const FILE_MODE = 0o644;

/** The held directory above the subject; what has none is a directory itself. */
export function parentOf(subject: PathSubject): number {
  if (subject.parent !== undefined) return subject.parent.fd;
  throw systemError('write_file', { path: subject.path }, Object.assign(new Error('no parent'), { code: 'EISDIR' }));
}

/** Directories made between two looks at the event loop: a path can name two thousand of them. */
const AT_A_TIME = 16;

/**
 * Makes the missing directories above the subject (0755) and returns a descriptor of the last one, which the caller closes.
 * Throws `create_parents`. Directories already made stay when a later one fails.
 */
export async function makeParents(subject: PathSubject): Promise<number> {
  let directory = openDirectory(parentOf(subject), '.');
  let path = subject.parent?.path ?? '/';
  for (const [index, name] of subject.missing.slice(0, -1).entries()) {
    if (index % AT_A_TIME === AT_A_TIME - 1) await new Promise(setImmediate);
    path = joinPath(path, name);
    try {
      const next = makeDirectory(directory, byteString(name));
      closeSync(directory);
      directory = next;
    } catch (error) {
      closeSync(directory);
      // somebody else may have chosen the names of the directories that a link led to
      throw systemError('create_parents', { path: escapeName(path) }, error);
    }
  }
  return directory;
}

function makeDirectory(directory: number, name: string): number {
  try {
    withUmask(() => mkdirSync(childPath(directory, name), DIRECTORY_MODE));
  } catch (error) {
    if (errnoOf(error) !== 'EEXIST') throw error; // somebody else made it meanwhile: as good, unless it is no directory
  }
  return openDirectory(directory, name);
}

/** Makes a file (0644) in a held directory, writes its content and makes it durable. It is removed again when that fails. */
export async function writeNewFile(directory: number, name: string, content: AsyncIterable<Uint8Array>): Promise<void> {
  const { O_WRONLY, O_CREAT, O_EXCL, O_NOFOLLOW, O_NONBLOCK, O_NOCTTY } = constants;
  const path = childPath(directory, byteString(name));
  const fd = withUmask(() => openSync(path, O_WRONLY | O_CREAT | O_EXCL | O_NOFOLLOW | O_NONBLOCK | O_NOCTTY, FILE_MODE));
  try {
    const progress = { written: 0 };
    for await (const bytes of content) await writeFully(fd, bytes, progress.written, progress);
    await syncFile(fd);
  } catch (error) {
    removeIfSame(directory, byteString(name), fd);
    throw error;
  } finally {
    closeAll(fd);
  }
}

/** Removes an entry if it is still the opened file. */
export function removeIfSame(directory: number, name: string, fd: number): void {
  const entry = statEntry(directory, name);
  if (entry !== undefined && sameObject(entry, statHeld(fd))) unlinkSync(childPath(directory, name));
}
