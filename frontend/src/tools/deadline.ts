/** Work under a time limit, and the signal that says when it is over. */
import { StewardError } from '@steward/shared/errors.ts';
import { nextTurn } from '../next-turn.ts';

/** How long an operation that was told to stop is waited for: a change that has begun is finished first. */
const SETTLE_MS = 5_000;

/**
 * Runs `work` under a time limit and the caller's own signal. Rejects with the reason (`timeout`, or what the caller's signal
 * says) when the work was stopped; work that ends well although it was told to stop counts as done.
 */
export async function underDeadline<T>(
  seconds: number,
  caller: AbortSignal,
  work: (signal: AbortSignal) => Promise<T>,
): Promise<T> {
  const watch = new Watch(seconds, caller);
  try {
    return await watch.over(work(watch.signal));
  } catch (error) {
    throw watch.signal.aborted ? watch.signal.reason : error;
  } finally {
    watch.end();
  }
}

/** Clock and listener of one piece of work. Most work is done within a turn of the event loop and needs neither. */
class Watch {
  readonly #controller = new AbortController();
  readonly #seconds: number;
  readonly #caller: AbortSignal;
  readonly #aborted = (): void => this.#stop(this.#caller.reason);
  #giveUp: (reason: unknown) => void = () => undefined;
  #timer: NodeJS.Timeout | undefined;
  #settle: NodeJS.Timeout | undefined;
  #ended = false;

  constructor(seconds: number, caller: AbortSignal) {
    this.#seconds = seconds;
    this.#caller = caller;
    if (caller.aborted) this.#aborted();
    else nextTurn(() => this.#begin());
  }

  get signal(): AbortSignal {
    return this.#controller.signal;
  }

  /** What becomes of the work, or the reason why it was given up. */
  over<T>(working: Promise<T>): Promise<T> {
    return new Promise((resolve, reject) => {
      this.#giveUp = reject;
      working.then(resolve, reject);
    });
  }

  end(): void {
    this.#ended = true;
    clearTimeout(this.#timer);
    clearTimeout(this.#settle);
    if (this.#timer !== undefined) this.#caller.removeEventListener('abort', this.#aborted);
  }

  #begin(): void {
    if (this.#ended) return;
    if (this.#caller.aborted) return this.#aborted();
    this.#caller.addEventListener('abort', this.#aborted, { once: true });
    const timeout = (): void => this.#stop(new StewardError('timeout', { seconds: this.#seconds }));
    this.#timer = setTimeout(timeout, this.#seconds * 1000);
  }

  #stop(reason: unknown): void {
    this.#settle ??= setTimeout(() => this.#giveUp(this.signal.reason), SETTLE_MS);
    this.#controller.abort(reason);
  }
}
