/**
 * One process held by its directory in /proc: the descriptor stays with that process, and reads through it fail once it has ended,
 * even when another process has got its number. What is judged about a process and what is done to it go through the same one.
 */
import { openSync } from 'node:fs';
import { join } from 'node:path';
import { errnoOf, StewardError, systemError } from '../errors.ts';
import { O_PATH, closeAll, heldPath } from './descriptors.ts';
import type { Guard } from './guard.ts';
import { readProcessStat, readProcessStatus, type ProcessStat, type ProcessStatus } from './processes.ts';
import type { PathSubject } from './subject.ts';
import { makeSubject } from './subjects.ts';

const O_DIRECTORY = 0o200000;
/** The first process. */
const INIT = 1;

export type ProcessFacts = ProcessStat & ProcessStatus;

/** Holds a process; the caller closes the subject. Throws `no_such_process` when there is none of that number, or only a thread. */
export function holdProcess(root: string, pid: number): PathSubject {
  const path = `/proc/${String(pid)}`;
  let fd: number | undefined;
  try {
    fd = openSync(join(root, path), O_PATH | O_DIRECTORY);
    if (factsOf(fd)?.tgid !== pid) throw new StewardError('no_such_process', { pid });
    return makeSubject({ path, fd, parentFd: undefined, missing: [], name: String(pid) });
  } catch (error) {
    closeAll(fd);
    if (error instanceof StewardError || errnoOf(error) === undefined) throw error;
    throw new StewardError('no_such_process', { pid }, { cause: error });
  }
}

/** What is known about the held process now. Throws `no_such_process` when it has ended. */
export function readHeld(subject: PathSubject, pid: number): ProcessFacts {
  const facts = subject.object === undefined ? undefined : factsOf(subject.object.fd);
  if (facts === undefined) throw new StewardError('no_such_process', { pid });
  return facts;
}

function factsOf(fd: number): ProcessFacts | undefined {
  const directory = heldPath(fd);
  const stat = readProcessStat('/', directory);
  const status = readProcessStatus('/', directory);
  return stat === undefined || status === undefined ? undefined : { ...stat, ...status };
}

/** Throws `protected_process` for pid 1, kernel threads, steward's own processes and everything that descends from them. */
export function refuseProtected(root: string, facts: ProcessFacts, guard: Guard): void {
  const { pid, kernelThread } = facts;
  const own = new Set([...guard.list.pids, process.pid]);
  if (pid === INIT || kernelThread || descendsFrom(root, facts, own)) throw new StewardError('protected_process', { pid });
}

/** Goes up the line of parents. Numbers that do not get to init are those of a line that changed meanwhile. */
function descendsFrom(root: string, facts: ProcessFacts, ancestors: ReadonlySet<number>): boolean {
  const seen = new Set<number>();
  let at: Pick<ProcessStat, 'pid' | 'ppid'> | undefined = facts;
  while (at !== undefined && at.pid > INIT && !seen.has(at.pid)) {
    if (ancestors.has(at.pid)) return true;
    seen.add(at.pid);
    at = at.ppid === 0 ? undefined : readProcessStat(root, `/proc/${String(at.ppid)}`);
  }
  return false;
}

/** The reason why a file of a process cannot be read: it has ended, or the kernel refuses. */
export function readFailure(error: unknown, pid: number, target: string): StewardError {
  const errno = errnoOf(error);
  if (errno === 'ESRCH' || errno === 'ENOENT') return new StewardError('no_such_process', { pid }, { cause: error });
  return systemError('read_target', { target }, error);
}
