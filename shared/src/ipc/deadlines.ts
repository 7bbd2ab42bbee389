/**
 * What is to end by a certain time, watched with one timer for all: almost everything ends long before, and a timer of its own would
 * cost it more than everything else about its time.
 */
import { TransientMap } from '../transient-map.ts';

/** Longest delay that a timer takes, in milliseconds; setTimeout would fire at once for more. */
const MAX_DELAY_MS = 2 ** 31 - 1;

export class Deadlines<T> {
  readonly #expired: (item: T) => void;
  /** Milliseconds of `performance.now()`. */
  readonly #times = new TransientMap<T, number>();
  #timer: NodeJS.Timeout | undefined;
  #next = Infinity;

  /** `expired` is told once of each item whose time is over while it is here; then it is here no longer. */
  constructor(expired: (item: T) => void) {
    this.#expired = expired;
  }

  /** Watches an item until `at`, in milliseconds of `performance.now()`; a second time moves its end. */
  add(item: T, at: number): void {
    this.#times.set(item, at);
    if (at < this.#next) this.#arm(at);
  }

  /** The timer stays: at its time it looks for what is next. */
  delete(item: T): void {
    this.#times.delete(item);
  }

  #arm(at: number): void {
    clearTimeout(this.#timer);
    this.#next = at;
    const delay = Math.ceil(at - performance.now());
    this.#timer = setTimeout(this.#look, Math.min(Math.max(delay, 1), MAX_DELAY_MS)).unref();
  }

  readonly #look = (): void => {
    const now = performance.now();
    let next = Infinity;
    this.#next = Infinity;
    for (const [item, at] of [...this.#times]) {
      if (at > now) next = Math.min(next, at);
      else if (this.#times.delete(item)) this.#expired(item);
    }
    if (next < this.#next) this.#arm(next);
  };
}
