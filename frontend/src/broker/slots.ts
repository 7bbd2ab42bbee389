/**
 * How many calls the broker is asked for at once. It runs a few per user and answers BUSY beyond that; waiting for a turn is this
 * side's business. Users take turns by the order of their calls, and one user's queue holds up nobody else.
 */
import { TransientMap } from '@steward/shared/transient-map.ts';

/** What the broker runs at once: in all, and for one user. */
export const MAX_RUNNING = 32;
export const MAX_RUNNING_PER_USER = 8;

interface Waiting {
  readonly user: string;
  readonly go: (release: () => void) => void;
}

export class RootSlots {
  readonly #waiting = new TransientMap<Waiting, true>();
  readonly #byUser = new Map<string, number>();
  #running = 0;

  get counts(): { readonly running: number; readonly waiting: number } {
    return { running: this.#running, waiting: this.#waiting.size };
  }

  /** What gives the turn back, at once where there is one; else waits for it. Rejects with the signal's reason. */
  enter(user: string, signal: AbortSignal): (() => void) | Promise<() => void> {
    if (signal.aborted) return Promise.reject(signal.reason as Error);
    if (this.#hasRoom(user)) return this.#start(user);
    return new Promise((resolve, reject) => {
      const aborted = (): void => {
        this.#waiting.delete(waiting);
        reject(signal.reason as Error);
      };
      const waiting: Waiting = {
        user,
        go: (release) => {
          signal.removeEventListener('abort', aborted);
          resolve(release);
        },
      };
      signal.addEventListener('abort', aborted, { once: true });
      this.#waiting.set(waiting, true);
    });
  }

  #hasRoom(user: string): boolean {
    return this.#running < MAX_RUNNING && (this.#byUser.get(user) ?? 0) < MAX_RUNNING_PER_USER;
  }

  #start(user: string): () => void {
    this.#running += 1;
    this.#byUser.set(user, (this.#byUser.get(user) ?? 0) + 1);
    let given = false;
    return () => {
      if (given) return;
      given = true;
      this.#running -= 1;
      const left = (this.#byUser.get(user) ?? 1) - 1;
      if (left > 0) this.#byUser.set(user, left);
      else this.#byUser.delete(user);
      this.#admit();
    };
  }

  #admit(): void {
    for (const waiting of this.#waiting.keys()) {
      if (this.#running >= MAX_RUNNING) return;
      if (!this.#hasRoom(waiting.user)) continue;
      this.#waiting.delete(waiting);
      waiting.go(this.#start(waiting.user));
    }
  }
}
