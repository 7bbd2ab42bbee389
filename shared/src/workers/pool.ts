/**
 * A small pool of worker threads, so that walks and scans never hold up the event loop. A job is stopped for good when its caller
 * goes away: first by asking, then by ending the thread. A thread that dies fails only the job it had.
 */
import { abortError } from '../abort.ts';
import { StewardError } from '../errors.ts';
import type { ReportProgress } from '../ops/operation.ts';
import { TransientMap } from '../transient-map.ts';
import type { WorkJob } from './job.ts';
import type { Sink } from './run.ts';
import { Helping } from './helping.ts';
import { makeControl, Thread, type ThreadOptions } from './thread.ts';

export type { WorkJob } from './job.ts';

/** Of its threads, whose entry file calls `serveWorker`. */
export interface PoolOptions extends ThreadOptions {
  /** Threads at most; default 3. Of more than one, nobody gets them all. */
  readonly size?: number;
}

/** A job that waits for a thread. */
interface Waiting {
  readonly owner: string | undefined;
  readonly start: (thread: Thread) => void;
  readonly fail: (error: Error) => void;
}

export class WorkerPool {
  readonly #options: PoolOptions;
  readonly #size: number;
  readonly #idle = new Set<Thread>();
  readonly #threads = new Set<Thread>();
  readonly #queue = new TransientMap<Waiting, true>();
  /** Threads at work by owner. */
  readonly #working = new Map<string, number>();
  readonly #helping: Helping;
  #closed = false;

  constructor(options: PoolOptions) {
    this.#options = options;
    this.#size = options.size ?? 3;
    this.#helping = new Helping((onGone) => new Thread(options, onGone));
  }

  /**
   * Runs a job and resolves to its result; its bytes go to `sink`, whose promise is the flow control. Rejects with the operation's
   * StewardError, with the signal's reason when stopped (a change that has begun finishes the entry at hand first), and with a
   * plain Error for a defect. Settles only when the job uses the subject's descriptors no more.
   */
  async run(job: WorkJob, sink: Sink, signal: AbortSignal, progress?: ReportProgress): Promise<unknown> {
    const thread = await this.#take(job.owner, signal);
    const control = makeControl();
    const help = this.#helping.forJob(job, { control, signal }, (failure) => void thread.end(failure));
    try {
      return await thread.run(job, { sink, signal, progress, control, onInvite: help.accept });
    } finally {
      await help.over();
      if (!thread.gone) this.#idle.add(thread);
      this.#count(job.owner, -1);
      this.#startWaiting();
    }
  }

  /** Ends all threads; jobs under way or waiting fail with `shutting_down`. */
  async close(): Promise<void> {
    this.#closed = true;
    const reason = new StewardError('shutting_down');
    for (const waiting of this.#queue.keys()) waiting.fail(reason);
    await Promise.all([this.#helping.close(reason), ...[...this.#threads].map((thread) => thread.end(reason))]);
  }

  /** A thread for one job, which counts as its owner's from here on. */
  async #take(owner: string | undefined, signal: AbortSignal): Promise<Thread> {
    if (this.#closed) throw new StewardError('shutting_down');
    if (signal.aborted) throw abortError(signal);
    return this.#free(owner) ?? (await this.#wait(owner, signal));
  }

  /** A thread that can start at once, taken out of the idle ones, unless this owner has his share already. */
  #free(owner: string | undefined): Thread | undefined {
    if (this.#size > 1 && this.#atWorkFor(owner) >= this.#size - 1) return undefined;
    const thread = this.#idleOrNew();
    if (thread !== undefined) this.#count(owner, 1);
    return thread;
  }

  #atWorkFor(owner: string | undefined): number {
    return owner === undefined ? 0 : (this.#working.get(owner) ?? 0);
  }

  #count(owner: string | undefined, change: 1 | -1): void {
    if (owner === undefined) return;
    const now = this.#atWorkFor(owner) + change;
    if (now > 0) this.#working.set(owner, now);
    else this.#working.delete(owner);
  }

  #idleOrNew(): Thread | undefined {
    for (const thread of this.#idle) {
      this.#idle.delete(thread);
      if (!thread.gone) return thread;
    }
    if (this.#threads.size >= this.#size || this.#closed) return undefined;
    const thread: Thread = new Thread(this.#options, () => {
      this.#threads.delete(thread);
      this.#idle.delete(thread);
      this.#startWaiting();
    });
    this.#threads.add(thread);
    return thread;
  }

  async #wait(owner: string | undefined, signal: AbortSignal): Promise<Thread> {
    const { promise, resolve, reject } = Promise.withResolvers<Thread>();
    const waiting: Waiting = { owner, start: resolve, fail: reject };
    const onAbort = (): void => {
      this.#queue.delete(waiting);
      reject(abortError(signal));
    };
    this.#queue.set(waiting, true);
    signal.addEventListener('abort', onAbort);
    try {
      return await promise;
    } finally {
      this.#queue.delete(waiting);
      signal.removeEventListener('abort', onAbort);
    }
  }

  /** In the order in which they came, but that whoever has his share lets others pass. */
  #startWaiting(): void {
    for (const waiting of this.#queue.keys()) {
      const thread = this.#free(waiting.owner);
      if (thread === undefined) continue;
      this.#queue.delete(waiting);
      waiting.start(thread);
    }
  }
}
