/** One worker thread as the pool sees it: runs one job at a time and knows how to stop it. */
import { Worker } from 'node:worker_threads';
import { abortError } from '../abort.ts';
import { isErrorKey, StewardError } from '../errors.ts';
import { countReceived } from '../host/settle.ts';
import { BEGUN, CANCELLED, CONTROL_WORDS, type FromWorker, type ToWorker, type WorkJob } from './job.ts';
import type { ReportProgress } from '../ops/operation.ts';
import type { Sink } from './run.ts';
import type { Invitation } from './team.ts';

/** Milliseconds in which a job that changes nothing yet may stop by itself; ending a thread costs the next job its start. */
const READ_GRACE_MS = 100;
/** Milliseconds in which a change that has begun may finish the entry at hand. */
const WRITE_GRACE_MS = 5000;
/** Milliseconds to wait for a thread's end. One that the kernel holds (a dead network file system) runs no code any more. */
const END_MS = 1000;
/** Heap of one thread in MiB: operations keep little in memory and spill the rest. */
const HEAP_MIB = 512;
/** Which thread it is, and how long it stays. */
export interface ThreadOptions {
  /** Entry file of the worker. */
  readonly file: string | URL;
  /** For `ps -L`. */
  readonly nameForRoot: string;
  /** Milliseconds without a job after which it ends by itself; default 15 s. Another one costs some 50 to 90 ms. */
  readonly idleMs?: number;
}

/** An idle thread holds some 12 MB for nothing. */
const IDLE_MS = 15_000;

/** What a job's run is given besides the job. */
export interface RunOptions {
  /** Where its bytes go; what it returns is the flow control. */
  readonly sink: Sink;
  readonly signal: AbortSignal;
  readonly progress?: ReportProgress | undefined;
  /** Shared with the job that this one helps. */
  readonly control?: SharedArrayBuffer;
  /** To help another thread with this job. */
  readonly invitation?: Invitation;
  /** Told when the job asks for help, at most once. */
  readonly onInvite?: (invitation: Invitation) => void;
}

/** Memory that pool and workers share during a job. */
export function makeControl(): SharedArrayBuffer {
  return new SharedArrayBuffer(CONTROL_WORDS * Int32Array.BYTES_PER_ELEMENT);
}

/** The job at hand. */
interface Current {
  readonly control: Int32Array;
  readonly options: RunOptions;
  /** Deliveries to the sink, one after the other. */
  deliveries: Promise<void>;
  settle(outcome: () => unknown): void;
}

export class Thread {
  readonly #worker: Worker;
  readonly #idleMs: number;
  #leaving: NodeJS.Timeout | undefined;
  #current: Current | undefined;
  #gone = false;
  /** Why the thread was ended, if the pool did it. */
  #reason: Error | undefined;

  /** `onGone` is told once when the thread has ended, whatever the reason. */
  constructor({ file, nameForRoot, idleMs = IDLE_MS }: ThreadOptions, onGone: () => void) {
    this.#idleMs = idleMs;
    this.#worker = new Worker(file, {
      name: nameForRoot,
      // for young objects the limit of the process holds: its flag wins over what is asked for here
      resourceLimits: { maxOldGenerationSizeMb: HEAP_MIB },
    });
    this.#worker.unref();
    this.#worker.on('message', (message: FromWorker) => this.#receive(message));
    this.#worker.on('error', (error) => this.#fail(new Error('a worker thread failed', { cause: error })));
    this.#worker.once('exit', (code) => {
      this.#fail(new Error(`a worker thread ended with status ${code}`));
      onGone();
    });
  }

  /** True when it takes no more jobs. */
  get gone(): boolean {
    return this.#gone;
  }

  /** Runs a job; see the pool. */
  async run(job: WorkJob, options: RunOptions): Promise<unknown> {
    const { signal, invitation, control = makeControl() } = options;
    const ended = Promise.withResolvers<unknown>();
    const current: Current = {
      control: new Int32Array(control),
      options,
      deliveries: Promise.resolve(),
      settle: (outcome) => {
        if (this.#current !== current) return; // settled before
        this.#current = undefined;
        ended.resolve(Promise.try(outcome));
      },
    };
    const onAbort = (): void => void this.#cancel(current, signal);
    this.#current = current;
    clearTimeout(this.#leaving);
    this.#worker.ref();
    signal.addEventListener('abort', onAbort);
    try {
      if (invitation === undefined) this.#post({ type: 'run', job, control });
      else this.#worker.postMessage({ type: 'run', job, control, invitation } satisfies ToWorker, [invitation.port]);
      if (signal.aborted) onAbort();
      return await ended.promise;
    } catch (error) {
      // what the worker says about a cancelled job is only that it was cancelled; the signal knows why
      throw signal.aborted && error instanceof StewardError && error.key === 'cancelled' ? abortError(signal) : error;
    } finally {
      signal.removeEventListener('abort', onAbort);
      this.#worker.unref();
      this.#leaving = setTimeout(() => void this.end(new Error('nothing to do')), this.#idleMs).unref();
    }
  }

  /** Ends the thread; the job at hand fails with `reason`. */
  async end(reason: Error): Promise<void> {
    this.#gone = true;
    this.#reason ??= reason;
    await Promise.race([this.#worker.terminate(), later(END_MS)]);
    this.#fail(reason);
  }

  #post(message: ToWorker): void {
    this.#worker.postMessage(message);
  }

  #receive(message: FromWorker): void {
    const current = this.#current;
    if (current === undefined) return;
    if (message.type === 'bytes') {
      this.#deliver(current, message.bytes);
      return;
    }
    const { progress, onInvite } = current.options;
    if (message.type === 'progress') return progress?.(message.done, message.message);
    if (message.type === 'invite') return onInvite?.(message.invitation);
    // the result counts only after everything that was sent before it
    void current.deliveries.then(() => current.settle(() => resultOf(message)));
  }

  #deliver(current: Current, bytes: Uint8Array): void {
    countReceived(bytes.byteLength);
    current.deliveries = current.deliveries
      .then(() => current.options.sink(bytes))
      .then(
        () => this.#post({ type: 'ack' }),
        (error: unknown) => this.end(error instanceof Error ? error : new Error('the receiver failed')),
      );
  }

  /** Asks, waits a little, then ends the thread. */
  async #cancel(current: Current, signal: AbortSignal): Promise<void> {
    Atomics.store(current.control, CANCELLED, 1);
    const deadline = Atomics.load(current.control, BEGUN) === 0 ? READ_GRACE_MS : WRITE_GRACE_MS;
    await later(deadline);
    if (this.#current === current && !this.#gone) await this.end(abortError(signal));
  }

  #fail(error: Error): void {
    this.#gone = true;
    this.#current?.settle(() => {
      throw this.#reason ?? error;
    });
  }
}

function resultOf(message: Extract<FromWorker, { type: 'done' | 'failed' }>): unknown {
  if (message.type === 'done') return message.value;
  const { error, detail } = message;
  if (error === null || !isErrorKey(error.key)) throw new Error(`an operation failed in a worker thread: ${detail}`);
  throw new StewardError(error.key, error.params);
}

function later(milliseconds: number): Promise<void> {
  return new Promise((resolve) => {
    setTimeout(resolve, milliseconds).unref();
  });
}
