/**
 * Runs the operation of a row on the object that its restriction handed over: here on the event loop, or in a worker thread of
 * this process. It decides nothing; everything that it passes on has been judged.
 */
import type { AuditFeed } from '@steward/shared/audit/feed.ts';
import type { ConfigSnapshot } from '@steward/shared/config/types.ts';
import type { Engine, OpenEngine } from '@steward/shared/engine/engine.ts';
import type { Guard } from '@steward/shared/host/guard.ts';
import type { ProgramRunner } from '@steward/shared/host/programs.ts';
import { programRunner } from '@steward/shared/host/run-program.ts';
import { ticketOf } from '@steward/shared/host/subjects.ts';
import type { BrokerServices, ReportProgress, Upload } from '@steward/shared/ops/operation.ts';
import type { WorkerPool } from '@steward/shared/workers/pool.ts';
import { runOperation, type Sink } from '@steward/shared/workers/run.ts';
import { grantsOf, type Args } from './grants.ts';
import { ENGINE_SOCKET, type Restricted, type Row } from '@steward/shared/catalogue/row.ts';

/** What all calls of a broker share. */
export interface Workshop {
  readonly guard: Guard;
  readonly pool: Pick<WorkerPool, 'run'>;
  readonly engine: OpenEngine;
  /** `request`: for the record. */
  readonly reload: (dryRun: boolean, request: string) => ReturnType<BrokerServices['reload']>;
  readonly feed: Pick<AuditFeed, 'from'>;
}

/** One judged call. */
export interface Work {
  readonly row: Row;
  readonly args: Args;
  readonly restricted: Restricted;
  readonly user: string;
  /** Id of the request. */
  readonly request: string;
  readonly config: ConfigSnapshot;
  readonly upload: Upload | undefined;
  readonly signal: AbortSignal;
  readonly progress: ReportProgress;
  /** Told when the effect begins; not told by worker threads, whose pool lets a begun change finish by itself. */
  readonly onBegin: () => void;
}

export function runsInWorker({ row, args }: Pick<Work, 'row' | 'args'>): boolean {
  const { where } = row.op;
  return (typeof where === 'function' ? where(args) : where) === 'worker';
}

/** The programs that a row names, with the arguments that it names, and no other. */
export function programsOf(row: Row): ProgramRunner {
  return programRunner({ allowed: row.touches.programs });
}

/** The container engine, for rows that name its socket and no other. */
export function engineOf(row: Row, open: OpenEngine, signal: AbortSignal): Promise<Engine> {
  if (!row.touches.sockets.includes(ENGINE_SOCKET)) throw new Error(`${row.op.name} does not name the container engine`);
  return open(signal);
}

/** Runs to the end. Settles only when the operation no longer uses the subject. */
export function runRow(work: Work, { guard, pool, engine, reload, feed }: Workshop, sink: Sink): Promise<unknown> {
  const { row, args, restricted, signal } = work;
  const { subject, allowSetid = false } = restricted;
  if (runsInWorker(work)) {
    const ticket = subject === undefined ? undefined : ticketOf(subject);
    const rights = { guard: guard.list, privileged: true, allowSetid, root: '/', owner: work.user };
    const job = { op: row.op.name, args, subject: ticket, ...rights };
    return pool.run(job, sink, signal, work.progress);
  }
  const parts = {
    privileged: true,
    signal,
    subject,
    guard,
    programs: programsOf(row),
    upload: work.upload,
    progress: work.progress,
    root: '/',
    allowSetid,
    network: undefined,
    broker: {
      grants: () => grantsOf(work.config, work.user),
      accounts: () => restricted.accounts ?? [],
      engine: () => engineOf(row, engine, signal),
      watch: (after: number | undefined, stop: AbortSignal) => feed.from(after, stop),
      reload: (dryRun: boolean) => reload(dryRun, work.request),
    },
    onBegin: work.onBegin,
  };
  return runOperation(row.op, args, parts, sink);
}
