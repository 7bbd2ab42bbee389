/** What the files operations share: opening what a subject holds, content hashes, and the rules that hold for every change. */
import { createHash } from 'node:crypto';
import { closeSync, constants, fstatSync, readFileSync } from 'node:fs';
import type { BigIntStats } from 'node:fs';
import { join } from 'node:path';
import { StewardError, systemError, type ErrorKey } from '../../errors.ts';
import { reopen } from '../../host/descriptors.ts';
import type { HeldObject, PathSubject } from '../../host/subject.ts';
import type { OpContext } from '../operation.ts';
import { readPieces, type OpenedFile } from './source.ts';

/** SHA-256 of nothing: what a missing file counts as. */
export const EMPTY_SHA256 = createHash('sha256').digest('hex');
/** After a change a file is hashed for the answer up to this size in bytes. */
const MAX_HASHED = 64 * 1024 * 1024;

/** An error as the kernel would give it, for what is refused before it is asked. */
export function errno(code: string): Error {
  return Object.assign(new Error(code), { code });
}

/** The subject, which every operation with a path has. */
export function subjectOf(context: Pick<OpContext, 'subject'>): PathSubject {
  if (context.subject === undefined) throw new Error('the operation was called without its subject');
  return context.subject;
}

/** The object of a subject that must exist. */
export function objectOf(subject: PathSubject, failure: ErrorKey): HeldObject {
  if (subject.object === undefined) throw systemError(failure, { path: subject.path }, errno('ENOENT'));
  return subject.object;
}

/** Refuses everything but regular files, without opening it: a directory by its failure key, else `not_regular`. */
export function requireRegular(subject: PathSubject, stat: BigIntStats, failure: ErrorKey): void {
  if (stat.isDirectory()) throw systemError(failure, { path: subject.path }, errno('EISDIR'));
  if (!stat.isFile()) throw new StewardError('not_regular', { path: subject.path });
}

/** As `openToRead` and for every use; returns the descriptor alone, which the caller closes. */
export function openRegular(subject: PathSubject, flags: number, failure: ErrorKey): number {
  return openJudged(subject, flags, failure).fd;
}

/** Opens the regular file that the subject holds and returns the descriptor, which the caller closes, and its status. */
export function openToRead(subject: PathSubject, failure: ErrorKey): OpenedFile {
  return openJudged(subject, constants.O_RDONLY, failure);
}

/** The kind is judged before and, on the opened file, after it. */
function openJudged(subject: PathSubject, flags: number, failure: ErrorKey): OpenedFile {
  const object = objectOf(subject, failure);
  requireRegular(subject, object.stat, failure);
  let fd: number;
  try {
    fd = reopen(object.fd, flags);
  } catch (error) {
    throw systemError(failure, { path: subject.path }, error);
  }
  const stat = fstatSync(fd);
  if (stat.isFile()) return { fd, stat };
  closeSync(fd);
  throw new StewardError('not_regular', { path: subject.path });
}

/**
 * Refuses a privileged change of a regular file with several links while any account may link to files of others: the name inside
 * a grant could be a link to anything (proc_sys_fs(5), protected_hardlinks).
 */
export function refuseHardLink(context: Pick<OpContext, 'privileged' | 'root'>, stat: BigIntStats, path: string): void {
  if (!context.privileged || !stat.isFile() || stat.nlink <= 1n) return;
  if (linksAreUnprotected(context.root)) throw new StewardError('hard_link', { path });
}

function linksAreUnprotected(root: string): boolean {
  try {
    return readFileSync(join(root, 'proc/sys/fs/protected_hardlinks'), 'latin1').trim() === '0';
  } catch {
    return false;
  }
}

/** Checks the form of an expected hash and brings it to lower case. Throws `sha256_malformed`. */
export function parseSha256(name: string, value: string | undefined): string | undefined {
  if (value === undefined || value === '') return undefined;
  if (!/^[0-9a-f]{64}$/i.test(value)) throw new StewardError('sha256_malformed', { name });
  return value.toLowerCase();
}

/** Throws `file_changed` unless the content is what the caller expects. */
export function requireSha256(expected: string | undefined, actual: string): void {
  if (expected !== undefined && expected !== actual) throw new StewardError('file_changed', { expected, actual });
}

/** Hash of the regular file that the subject holds, read from its beginning; of a missing one the hash of nothing. */
export async function hashSubject(subject: PathSubject, signal: AbortSignal): Promise<string> {
  if (subject.object === undefined) return EMPTY_SHA256;
  const fd = openRegular(subject, constants.O_RDONLY, 'open_file');
  try {
    const hash = createHash('sha256');
    for await (const piece of readPieces(fd, { signal })) hash.update(piece);
    return hash.digest('hex');
  } catch (error) {
    throw systemError('open_file', { path: subject.path }, error);
  } finally {
    closeSync(fd);
  }
}

/**
 * The hash that an answer gives of a file as it is now; undefined where it cannot be read or is too long for that. It is a service to
 * the caller: that it cannot be had is no failure of what was done.
 */
export async function hashForAnswer(subject: PathSubject, signal: AbortSignal): Promise<string | undefined> {
  if (subject.object !== undefined && subject.object.stat.size > MAX_HASHED) return undefined;
  try {
    return await hashSubject(subject, signal);
  } catch {
    return undefined;
  }
}
