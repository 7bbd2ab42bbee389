/**
 * How many calls of one session run at once. The others wait in the order in which they came; the queue has an end, so that a
 * client that never waits for answers cannot fill the memory.
 */
import { StewardError } from '@steward/shared/errors.ts';

/** Calls that may wait in one session. */
export const MAX_WAITING = 1024;

interface Waiting {
  readonly go: (release: () => void) => void;
  readonly fail: (reason: unknown) => void;
}

export class CallQueue {
  readonly #limit: () => number;
  readonly #waiting: Waiting[] = [];
  #running = 0;

  /** `limit`: how many may run at once, asked anew each time because the configuration may change. */
  constructor(limit: () => number) {
    this.#limit = limit;
  }

  /**
   * Waits for a turn and resolves to what gives it back. Throws `too_many_waiting`, or the signal's reason when it is aborted
   * before the turn comes.
   */
  enter(signal: AbortSignal): Promise<() => void> {
    if (signal.aborted) return Promise.reject(signal.reason as Error);
    if (this.#running < this.#limit() && this.#waiting.length === 0) return Promise.resolve(this.#start());
    if (this.#waiting.length >= MAX_WAITING) {
      return Promise.reject(new StewardError('too_many_waiting', { count: this.#waiting.length }));
    }
    return new Promise((resolve, reject) => {
      const waiting: Waiting = {
        go: (release) => {
          signal.removeEventListener('abort', aborted);
          resolve(release);
        },
        fail: reject,
      };
      const aborted = (): void => {
        this.#waiting.splice(this.#waiting.indexOf(waiting), 1);
        waiting.fail(signal.reason);
      };
      signal.addEventListener('abort', aborted, { once: true });
      this.#waiting.push(waiting);
    });
  }

  #start(): () => void {
    this.#running += 1;
    let given = false;
    return () => {
      if (given) return;
      given = true;
      this.#running -= 1;
      this.#admit();
    };
  }

  #admit(): void {
    while (this.#running < this.#limit()) {
      const waiting = this.#waiting.shift();
      if (waiting === undefined) return;
      waiting.go(this.#start());
    }
  }
}

/** One queue for each user, for requests that belong to no session. */
export class UserQueues {
  readonly #limit: () => number;
  readonly #queues = new Map<string, CallQueue>();

  constructor(limit: () => number) {
    this.#limit = limit;
  }

  of(user: string): CallQueue {
    const known = this.#queues.get(user);
    if (known !== undefined) return known;
    const queue = new CallQueue(this.#limit);
    this.#queues.set(user, queue);
    return queue;
  }
}
