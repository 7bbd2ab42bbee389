/** A limit of its own within the limit of the call: whichever ends first stops the work. Used where a program of ours waits for others. */
import { abortError } from '../abort.ts';
import { StewardError } from '../errors.ts';

/** Longest delay of a timer (Node: a larger one fires at once). */
const LONGEST_MS = 0x7fff_ffff;

/** Close it when the work is done, or its timer keeps the process alive. */
export class TimeLimit {
  readonly #controller = new AbortController();
  readonly #outer: AbortSignal;
  readonly #timer: NodeJS.Timeout;
  readonly #end: number;
  readonly #onOuter = (): void => this.#controller.abort(this.#outer.reason);

  constructor(seconds: number, outer: AbortSignal) {
    const ms = Math.min(seconds * 1000, LONGEST_MS);
    this.#outer = outer;
    this.#end = performance.now() + ms;
    this.#timer = setTimeout(() => this.#controller.abort(new StewardError('timeout', { seconds })), ms);
    if (outer.aborted) this.#onOuter();
    else outer.addEventListener('abort', this.#onOuter, { once: true });
  }

  /** Aborted at the end of this limit or of the call, or when the caller is gone. */
  get signal(): AbortSignal {
    return this.#controller.signal;
  }

  /** Whether the work is to stop. A method, because it changes while one waits. */
  isOver(): boolean {
    return this.#controller.signal.aborted;
  }

  /** Milliseconds that this limit leaves; the call may end earlier. */
  get remainingMs(): number {
    return Math.max(0, this.#end - performance.now());
  }

  /** The seconds after which time ended the work, this limit's or the call's; undefined when it did not. */
  get timedOut(): number | undefined {
    const reason: unknown = this.signal.reason;
    return reason instanceof StewardError && reason.key === 'timeout' ? Number(reason.params['seconds']) : undefined;
  }

  /** What to throw when the work was stopped: why it was. */
  get reason(): StewardError {
    return abortError(this.signal);
  }

  close(): void {
    clearTimeout(this.#timer);
    this.#outer.removeEventListener('abort', this.#onOuter);
  }
}
