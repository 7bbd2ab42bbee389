/** Writing to opened files: to the end, durably, and saying how far it got. */
import { accessSync, constants, chmodSync, fstatSync, fsync, ftruncate, write } from 'node:fs';
import { promisify } from 'node:util';
import { errnoOf, reasonOf, StewardError, systemError } from '../../errors.ts';
import { heldPath } from '../../host/descriptors.ts';
import { MODE_BITS, S_ISGID, S_ISUID } from '../../host/modes.ts';

const writeAt = promisify(write);
const sync = promisify(fsync);
const truncateTo = promisify(ftruncate);

const GROUP_EXECUTES = 0o010;

/**
 * Takes setuid and setgid away before root writes, as the kernel does when anybody else does (inode(7), setgid without group
 * execution is none): new content must not run with rights that were meant for the old.
 */
export function dropSetid(fd: number, privileged: boolean): void {
  if (!privileged) return;
  const { mode } = fstatSync(fd);
  const dropped = (mode & S_ISUID) | ((mode & GROUP_EXECUTES) === 0 ? 0 : mode & S_ISGID);
  if (dropped !== 0) chmodSync(heldPath(fd), mode & MODE_BITS & ~dropped);
}

/** Writes everything at a position, or at the end for null (`O_APPEND`). `progress` counts the bytes written even when it fails. */
export async function writeFully(
  fd: number,
  bytes: Uint8Array,
  position: number | null,
  progress: { written: number },
): Promise<void> {
  for (let done = 0; done < bytes.byteLength;) {
    const at = position === null ? null : position + done;
    const { bytesWritten } = await writeAt(fd, bytes, done, bytes.byteLength - done, at);
    done += bytesWritten;
    progress.written += bytesWritten;
  }
}

/** Makes content durable; file systems that have no such thing (sysfs) say EINVAL and are fine. */
export async function syncFile(fd: number): Promise<void> {
  try {
    await sync(fd);
  } catch (error) {
    if (errnoOf(error) !== 'EINVAL') throw error;
  }
}

/** Sets the length of an opened file. */
export async function setLength(fd: number, bytes: number): Promise<void> {
  await truncateTo(fd, bytes);
}

/** What a failed write in place leaves behind is said only when something was written. */
export function inPlaceFailure(error: unknown, path: string, written: number, size: number): StewardError {
  if (error instanceof StewardError) return error;
  if (errnoOf(error) === undefined) throw error;
  if (written === 0) return systemError('write_file', { path }, error);
  return new StewardError(
    'write_file_mixed',
    { path, reason: reasonOf(error), errno: errnoOf(error) ?? '', written, size },
    { cause: error },
  );
}

/** Throws the system error when this process may not make entries in the held directory. */
export function checkMayCreate(directory: number): void {
  accessSync(heldPath(directory), constants.W_OK | constants.X_OK);
}

/**
 * Runs something under the umask that new files and directories are promised. It is the whole process's, so nothing may wait in
 * between; files of steward's own are made with modes that it does not matter for.
 */
export function withUmask<T>(make: () => T): T {
  const before = process.umask(0o022);
  try {
    return make();
  } finally {
    process.umask(before);
  }
}
