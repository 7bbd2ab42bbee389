/**
 * Slows down whoever tries tokens. It only ever sees failures, so nobody with a good token waits because of somebody without
 * one. What it remembers and how many it lets wait is bounded.
 */

const WINDOW_MS = 60_000;
const DELAY_MS = 1_000;
const MAX_ADDRESSES = 4096;
const MAX_WAITING = 64;

interface Failures {
  count: number;
  /** Failures that have no record of their own. */
  unrecorded: number;
  readonly timer: NodeJS.Timeout;
}

export class FailureThrottle {
  readonly #report: (address: string, count: number) => void;
  readonly #delayMs: number;
  readonly #windowMs: number;
  readonly #failures = new Map<string, Failures>();
  readonly #waiting = new Set<() => void>();

  /** `report` is told the failures of one address beyond the limit, once a minute. Times in milliseconds. */
  constructor(report: (address: string, count: number) => void, delayMs = DELAY_MS, windowMs = WINDOW_MS) {
    this.#report = report;
    this.#delayMs = delayMs;
    this.#windowMs = windowMs;
  }

  /** Notes a failure. True while the address is within its limit; then it is to be recorded and answered at once. */
  failed(address: string, limitPerMinute: number): boolean {
    const failures = this.#failures.get(address) ?? this.#begin(address);
    failures.count += 1;
    if (failures.count <= limitPerMinute) return true;
    failures.unrecorded += 1;
    return false;
  }

  /** Settles after the delay; earlier when so many wait that the oldest must give way. */
  async delay(): Promise<void> {
    const oldest = this.#waiting.values().next();
    if (this.#waiting.size >= MAX_WAITING && oldest.done !== true) oldest.value();
    await new Promise<void>((done) => {
      const release = (): void => {
        clearTimeout(timer);
        this.#waiting.delete(release);
        done();
      };
      const timer = setTimeout(release, this.#delayMs);
      this.#waiting.add(release);
    });
  }

  /** Reports what is left and lets everybody go. */
  close(): void {
    for (const address of this.#failures.keys()) this.#end(address);
    for (const release of this.#waiting) release();
  }

  #begin(address: string): Failures {
    const oldest = this.#failures.keys().next();
    if (this.#failures.size >= MAX_ADDRESSES && oldest.done !== true) this.#end(oldest.value);
    const failures = { count: 0, unrecorded: 0, timer: setTimeout(() => this.#end(address), this.#windowMs).unref() };
    this.#failures.set(address, failures);
    return failures;
  }

  #end(address: string): void {
    const failures = this.#failures.get(address);
    this.#failures.delete(address);
    clearTimeout(failures?.timer);
    if (failures !== undefined && failures.unrecorded > 0) this.#report(address, failures.unrecorded);
  }
}
