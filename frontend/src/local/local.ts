/**
 * Runs operations unprivileged, in this process: resolves the path as the kernel lets this account, and hands walks and scans to
 * worker threads. What it may not do the kernel refuses; protected objects it refuses itself.
 */
import type { NetworkPolicy } from '@steward/shared/config/types.ts';
import type { Guard } from '@steward/shared/host/guard.ts';
import type { ProgramRunner } from '@steward/shared/host/programs.ts';
import { resolveAsKernel } from '@steward/shared/host/resolve.ts';
import type { PathSubject } from '@steward/shared/host/subject.ts';
import { ticketOf } from '@steward/shared/host/subjects.ts';
import type { AnyOperation, ReportProgress, Upload } from '@steward/shared/ops/operation.ts';
import type { WorkerPool } from '@steward/shared/workers/pool.ts';
import { runOperation, type Sink } from '@steward/shared/workers/run.ts';

/** One operation to be run here. */
export interface LocalCall {
  readonly op: AnyOperation;
  readonly args: Readonly<Record<string, unknown>>;
  /** For whom, so that nobody gets all worker threads. */
  readonly user: string;
  readonly upload: Upload | undefined;
  readonly guard: Guard;
  /** Where the caller may connect to. */
  readonly network: NetworkPolicy;
  readonly sink: Sink;
  readonly signal: AbortSignal;
  readonly progress?: ReportProgress | undefined;
}

export interface LocalWorkOptions {
  readonly pool: Pick<WorkerPool, 'run'>;
  readonly programs: ProgramRunner;
}

export class LocalWork {
  readonly #options: LocalWorkOptions;

  constructor(options: LocalWorkOptions) {
    this.#options = options;
  }

  /** Runs the operation and resolves to its result. Settles only when it uses its descriptors no more. */
  run(call: LocalCall): Promise<unknown> {
    return call.op.path === undefined ? this.#start(call, undefined) : this.#onPath(call);
  }

  async #onPath(call: LocalCall): Promise<unknown> {
    const subject = resolve(call);
    try {
      return await this.#start(call, subject);
    } finally {
      subject?.close();
    }
  }

  #start(call: LocalCall, subject: PathSubject | undefined): Promise<unknown> {
    return whereOf(call) === 'worker' ? this.#inWorker(call, subject) : this.#here(call, subject);
  }

  #here(
    { op, args, upload, guard, network, sink, signal, progress }: LocalCall,
    subject: PathSubject | undefined,
  ): Promise<unknown> {
    const { programs } = this.#options;
    const rights = { privileged: false, allowSetid: true, guard, network, broker: undefined };
    const reporting = progress === undefined ? {} : { progress };
    const parts = { ...rights, ...reporting, signal, subject, programs, upload, root: '/' };
    return runOperation(op, args, parts, sink);
  }

  #inWorker(call: LocalCall, subject: PathSubject | undefined): Promise<unknown> {
    const { op, args, user, guard, sink, signal, progress } = call;
    const ticket = subject === undefined ? undefined : ticketOf(subject);
    const rights = { guard: guard.list, privileged: false, allowSetid: true, root: '/', owner: user };
    const job = { op: op.name, args, subject: ticket, ...rights };
    return this.#options.pool.run(job, sink, signal, progress);
  }
}

function whereOf({ op, args }: LocalCall): 'loop' | 'worker' {
  return typeof op.where === 'function' ? op.where(args) : op.where;
}

function resolve({ op, args }: LocalCall): PathSubject | undefined {
  if (op.path === undefined) return undefined;
  const path = args['path'] ?? op.path.fallback;
  return typeof path === 'string' ? resolveAsKernel(path, op.path) : undefined;
}
