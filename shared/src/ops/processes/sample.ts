/** What processes/list and processes/top share: reading processes, choosing those of an account, and their use of processors. */
import { setTimeout as sleep } from 'node:timers/promises';
import { checkAbort } from '../../abort.ts';
import { parseId, readAccounts } from '../../host/accounts.ts';
import {
  listPids,
  readCommandLine,
  readProcessStat,
  readProcessStatus,
  TICKS_PER_SECOND,
  type ProcessStat,
  type ProcessStatus,
} from '../../host/processes.ts';
import type { OpContext } from '../operation.ts';

/** Milliseconds between two looks at the signal while waiting. */
const LOOK_MS = 50;
/** Processes read between two looks at the signal. */
const PER_LOOK = 64;

export type Process = ProcessStat & ProcessStatus;
type Context = Pick<OpContext, 'root' | 'signal'>;

/** Processor time in ticks by process, and when it was read, in milliseconds of the monotonic clock. */
export interface Sample {
  readonly at: number;
  readonly ticks: ReadonlyMap<string, number>;
}

/** All processes, or one, in order of their pids. Threads are none, although they can be asked for by number. */
export function readProcesses({ root, signal }: Context, pid?: number): Process[] {
  const found: Process[] = [];
  const pids = pid === undefined ? listPids(root) : [pid];
  for (const [index, number] of pids.entries()) {
    if (index % PER_LOOK === 0) checkAbort(signal);
    const directory = `/proc/${String(number)}`;
    const stat = readProcessStat(root, directory);
    const status = stat === undefined ? undefined : readProcessStatus(root, directory);
    if (stat !== undefined && status?.tgid === number) found.push({ ...stat, ...status });
  }
  return found;
}

/** Processor time alone, which is quicker. */
export function takeSample({ root, signal }: Context, pids: readonly number[] = listPids(root)): Sample {
  const at = performance.now();
  const ticks = new Map<string, number>();
  for (const [index, pid] of pids.entries()) {
    if (index % PER_LOOK === 0) checkAbort(signal);
    const stat = readProcessStat(root, `/proc/${String(pid)}`);
    if (stat !== undefined) ticks.set(identityOf(stat), stat.ticks);
  }
  return { at, ticks };
}

/** Percent of one processor since the sample; a process that began since then had used nothing. One decimal. */
export function percentSince({ ticks }: Sample, process: Process, elapsedMs: number): number {
  const used = process.ticks - (ticks.get(identityOf(process)) ?? 0);
  const seconds = Math.max(elapsedMs, 1) / 1000;
  return Math.max(0, Math.round((used / TICKS_PER_SECOND / seconds) * 1000) / 10);
}

/** A pid is used again by others; with the start time it is not. */
function identityOf({ pid, started }: ProcessStat): string {
  return `${String(pid)}@${started}`;
}

/** Waits, but not for a caller who is gone. Throws the reason of the signal. */
export async function pause(milliseconds: number, context: Context): Promise<void> {
  const end = performance.now() + milliseconds;
  for (let left = milliseconds; left > 0; left = end - performance.now()) {
    checkAbort(context.signal);
    await sleep(Math.min(left, LOOK_MS));
  }
  checkAbort(context.signal);
}

/** Tells the processes of an account, by name or number (the real uid); of an unknown one there are none. */
export function belongsTo(root: string, user: string): (process: Process) => boolean {
  const uid = readAccounts(root).user(user)?.uid ?? parseId(user);
  return ({ realUid }) => realUid === uid;
}

/** The command line on one line, or `[name]` for a process that has none. */
export function commandOf(root: string, { pid, comm, kernelThread }: Process): string {
  const words = kernelThread ? [] : readCommandLine(root, `/proc/${String(pid)}`);
  return words.length === 0 ? `[${comm}]` : words.join(' ');
}
