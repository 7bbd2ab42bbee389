/** What a privileged call needs, and the waiting room of requests whose answers are still to come. */
import { StewardError } from '@steward/shared/errors.ts';
import { MAX_ID } from '@steward/shared/ipc/messages.ts';
import type { ReportProgress } from '@steward/shared/ops/operation.ts';
import { TransientMap } from '@steward/shared/transient-map.ts';

/** One operation to be run by the broker. */
export interface RootCall {
  readonly op: string;
  readonly args: Readonly<Record<string, unknown>>;
  /** Id of the request, for the record. */
  readonly request: string;
  /** Milliseconds that the caller will wait. */
  readonly deadlineMs: number;
  readonly upload: Uint8Array | undefined;
  /** It only reads: a second time does no harm when nobody knows what became of the first. */
  readonly repeatable: boolean;
  /** Takes what the operation streams, piece by piece. */
  readonly sink: (bytes: Uint8Array) => Promise<void>;
  readonly progress?: ReportProgress | undefined;
  /** Its reason is what the call fails with when it is aborted. */
  readonly signal: AbortSignal;
}

/** The connection broke before the answer. */
export class CallLost extends StewardError {
  /** True when it is certain that the broker never saw the whole request. */
  readonly unseen: boolean;

  constructor(unseen: boolean) {
    super('broker_unavailable');
    this.unseen = unseen;
  }
}

export interface Pending {
  readonly id: number;
  /** Settles with the `result` or `opened` message's content, or rejects with what the broker refused. */
  readonly answer: Promise<unknown>;
}

interface Waiting {
  readonly resolve: (value: unknown) => void;
  readonly reject: (error: Error) => void;
  readonly progress: ReportProgress | undefined;
}

/** Numbers requests and hands each answer to the one who waits for it. */
export class PendingRequests {
  readonly #waiting = new TransientMap<number, Waiting>();
  #last = 0;

  get size(): number {
    return this.#waiting.size;
  }

  add(progress?: ReportProgress): Pending {
    const id = this.#nextId();
    const { promise, resolve, reject } = Promise.withResolvers<unknown>();
    promise.catch(() => undefined); // whoever waits sees it; nobody may be waiting yet
    this.#waiting.set(id, { resolve, reject, progress });
    return { id, answer: promise };
  }

  /** False when nobody waits for that id (any more). */
  resolve(id: number, value: unknown): boolean {
    const waiting = this.#take(id);
    waiting?.resolve(value);
    return waiting !== undefined;
  }

  reject(id: number, error: Error): boolean {
    const waiting = this.#take(id);
    waiting?.reject(error);
    return waiting !== undefined;
  }

  /** A call that is over has no progress any more. */
  progress(id: number, done: number, message: string | undefined): void {
    this.#waiting.get(id)?.progress?.(done, message);
  }

  rejectAll(error: Error): void {
    for (const id of [...this.#waiting.keys()]) this.reject(id, error);
  }

  #take(id: number): Waiting | undefined {
    const waiting = this.#waiting.get(id);
    this.#waiting.delete(id);
    return waiting;
  }

  #nextId(): number {
    do this.#last = this.#last >= MAX_ID ? 1 : this.#last + 1;
    while (this.#waiting.has(this.#last));
    return this.#last;
  }
}
