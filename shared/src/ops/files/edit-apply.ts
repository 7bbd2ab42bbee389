/**
 * Carries out a planned replacement: into a new file that then takes the old one's place, so that no moment shows half an edit;
 * or in place where that cannot be done (no right to the directory, several links, sysfs).
 */
import { randomBytes } from 'node:crypto';
import { closeSync, constants, fstatSync, openSync, renameSync } from 'node:fs';
import { errnoOf, StewardError, systemError } from '../../errors.ts';
import { childPath, closeAll, reopen, sameObject, statEntry } from '../../host/descriptors.ts';
import { byteString } from '../../host/names.ts';
import type { PathSubject } from '../../host/subject.ts';
import type { OpContext, Upload } from '../operation.ts';
import { openRegular } from './common.ts';
import { editedContent, readRange, replacement, type EditPlan } from './edit-plan.ts';
import { removeIfSame } from './new-file.ts';
import { isPseudo } from './source.ts';
import { dropSetid, inPlaceFailure, setLength, syncFile, writeFully } from './writing.ts';

/** What is behind the range is kept in memory while it is written in place: at most this many bytes. */
const MAX_TAIL = 64 * 1024 * 1024;
const MAX_NAME = 255;
/** Errors of the directory that leave the way in place open. */
const NO_REPLACING: ReadonlySet<string> = new Set(['EACCES', 'EPERM', 'EROFS']);

export interface Edit {
  readonly subject: PathSubject;
  /** The old file, opened for reading. */
  readonly fd: number;
  readonly plan: EditPlan;
  readonly upload: Upload;
  readonly context: OpContext;
}

/** Says that the file changed since it was planned, so that nothing was done. */
export class Outdated extends Error {}

/** Applies the edit. Throws Outdated, `write_file`, `write_file_mixed`, `edit_too_large`. */
export async function applyEdit(edit: Edit): Promise<void> {
  if (!(await replaceFile(edit))) await writeInPlace(edit);
}

/** False when the file must be written in place instead; then nothing has changed. */
async function replaceFile(edit: Edit): Promise<boolean> {
  const { subject, fd, plan, context } = edit;
  const name = byteString(subject.name);
  const temporary = `.${name}.steward-${randomBytes(6).toString('hex')}`;
  if (subject.parent === undefined || plan.stat.nlink > 1n || temporary.length > MAX_NAME || isPseudo(fd)) return false;
  const directory = subject.parent.fd;
  const copy = openTemporary(directory, temporary, subject);
  if (copy === undefined) return false;
  let renamed = false;
  try {
    if (!(await copyAttributes(edit, copy))) return false;
    dropSetid(copy, context.privileged);
    await writeCopy(edit, copy);
    requireUnchanged(edit);
    context.begin();
    renamed = renameOver(directory, temporary, name, plan);
    if (renamed) await syncDirectory(directory);
    return renamed;
  } catch (error) {
    if (error instanceof Outdated) throw error;
    throw systemError('write_file', { path: subject.path }, error);
  } finally {
    if (!renamed) removeIfSame(directory, temporary, copy);
    closeSync(copy);
  }
}

function openTemporary(directory: number, name: string, subject: PathSubject): number | undefined {
  try {
    const { O_RDWR, O_CREAT, O_EXCL, O_NOFOLLOW } = constants;
    return openSync(childPath(directory, name), O_RDWR | O_CREAT | O_EXCL | O_NOFOLLOW, 0o600);
  } catch (error) {
    if (NO_REPLACING.has(errnoOf(error) ?? '')) return undefined;
    throw systemError('write_file', { path: subject.path }, error);
  }
}

/** Mode, owner, access lists and extended attributes, by cp(1), which knows them all. False unless they are then the same. */
async function copyAttributes({ fd, context, plan }: Edit, copy: number): Promise<boolean> {
  try {
    const { status } = await context.programs.run({
      program: 'cp',
      args: ['--attributes-only', '--preserve=all', '--', '/proc/self/fd/3', '/proc/self/fd/4'],
      descriptors: [fd, copy],
      signal: context.signal,
    });
    if (status !== 0) return false;
  } catch (error) {
    if (error instanceof StewardError && error.key === 'program_missing') return false;
    throw error;
  }
  const { uid, gid, mode } = fstatSync(copy, { bigint: true });
  return uid === plan.stat.uid && gid === plan.stat.gid && mode === plan.stat.mode;
}

/** Until the new file takes the old one's place the call can still be stopped: the copy is removed then. */
async function writeCopy({ fd, plan, upload, context }: Edit, copy: number): Promise<void> {
  const progress = { written: 0 };
  for await (const { bytes } of editedContent(fd, plan, upload, context.signal)) {
    await writeFully(copy, bytes, progress.written, progress);
  }
  await syncFile(copy);
}

/** Nobody may have written to the file since it was read: that would be lost. */
function requireUnchanged({ fd, plan }: Edit): void {
  const now = fstatSync(fd, { bigint: true });
  if (now.size !== plan.stat.size || now.mtimeNs !== plan.stat.mtimeNs) throw new Outdated();
}

/** False when the kernel does not let this process replace the entry (a sticky directory). */
function renameOver(directory: number, temporary: string, name: string, plan: EditPlan): boolean {
  const entry = statEntry(directory, name);
  if (entry === undefined || !sameObject(entry, plan.stat)) throw new Outdated();
  try {
    renameSync(childPath(directory, temporary), childPath(directory, name));
    return true;
  } catch (error) {
    if (NO_REPLACING.has(errnoOf(error) ?? '')) return false;
    throw error;
  }
}

/** Makes the rename durable, where the directory may be read at all. */
async function syncDirectory(directory: number): Promise<void> {
  let fd: number | undefined;
  try {
    fd = reopen(directory, constants.O_RDONLY | constants.O_DIRECTORY);
    await syncFile(fd);
  } catch (error) {
    if (!NO_REPLACING.has(errnoOf(error) ?? '')) throw error;
  } finally {
    closeAll(fd);
  }
}

/** Writes from the range on; what is behind it has been read before. On pseudo-files everything goes out in one write. */
async function writeInPlace({ subject, fd, plan, upload, context }: Edit): Promise<void> {
  const start = isPseudo(fd) ? 0 : plan.from;
  if (plan.oldSize - plan.to > MAX_TAIL) throw new StewardError('edit_too_large', { path: subject.path });
  const parts: Uint8Array[] = [];
  for await (const piece of readRange(fd, start, plan.from, context.signal)) parts.push(new Uint8Array(piece));
  for await (const piece of replacement(plan.newlineBefore, upload)) parts.push(new Uint8Array(piece));
  for await (const piece of readRange(fd, plan.to, plan.oldSize, context.signal)) parts.push(new Uint8Array(piece));
  const bytes = Buffer.concat(parts);
  const target = openRegular(subject, constants.O_WRONLY, 'write_file');
  const progress = { written: 0 };
  try {
    const now = fstatSync(target, { bigint: true });
    if (now.size !== plan.stat.size || now.mtimeNs !== plan.stat.mtimeNs) throw new Outdated();
    context.begin();
    dropSetid(target, context.privileged);
    await writeFully(target, bytes, start, progress);
    await setLength(target, plan.newSize);
    await syncFile(target);
  } catch (error) {
    if (error instanceof Outdated) throw error;
    throw inPlaceFailure(error, subject.path, progress.written, bytes.length);
  } finally {
    closeSync(target);
  }
}
