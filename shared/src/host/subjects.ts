/** Makes subjects of descriptors, and carries them to worker threads, which share the descriptors of their process. */
import type { BigIntStats } from 'node:fs';
import { closeAll, realPathOf, statHeld } from './descriptors.ts';
import type { PathSubject, SubjectTicket } from './subject.ts';

interface SubjectParts {
  readonly path: string;
  readonly fd: number | undefined;
  /** Its status, where it has been asked for already. */
  readonly stat?: BigIntStats;
  readonly parentFd: number | undefined;
  readonly missing: readonly string[];
  readonly name: string;
}

/** Takes over the descriptors: they are closed by the subject's `close`. */
export function makeSubject(parts: SubjectParts): PathSubject {
  const { path, fd, parentFd, missing, name } = parts;
  const parent = parentFd === undefined ? undefined : { fd: parentFd, path: realPathOf(parentFd) };
  const object = fd === undefined ? undefined : { fd, stat: parts.stat ?? statHeld(fd) };
  let open = true;
  return {
    path,
    realPath: fd === undefined ? below(parent?.path ?? '/', missing) : realPathOf(fd),
    object,
    parent,
    missing,
    name,
    close(): void {
      if (open) closeAll(fd, parentFd);
      open = false;
    },
  };
}

function below(directory: string, names: readonly string[]): string {
  return directory === '/' ? `/${names.join('/')}` : [directory, ...names].join('/');
}

/** What a worker thread needs to act on the same subject. The sender keeps the descriptors and closes them afterwards. */
export function ticketOf(subject: PathSubject): SubjectTicket {
  return {
    path: subject.path,
    realPath: subject.realPath,
    fd: subject.object?.fd,
    parentFd: subject.parent?.fd,
    parentPath: subject.parent?.path ?? '',
    missing: subject.missing,
    name: subject.name,
  };
}

/** The subject of a ticket, in a thread of the same process. Its `close` does nothing: the descriptors belong to the sender. */
export function subjectOf(ticket: SubjectTicket): PathSubject {
  const { path, realPath, fd, parentFd, parentPath, missing, name } = ticket;
  return {
    path,
    realPath,
    object: fd === undefined ? undefined : { fd, stat: statHeld(fd) },
    parent: parentFd === undefined ? undefined : { fd: parentFd, path: parentPath },
    missing,
    name,
    close(): void {
      // the sender closes
    },
  };
}
