/**
 * Slows down whoever tries tokens. It only ever sees failures, so nobody with a good token waits because of somebody without
 * one. What it remembers, how many it lets wait and how many it lets be recorded is bounded.
 */
import { parseAddress } from '../config/network.ts';

const WINDOW_MS = 60_000;
const DELAY_MS = 1_000;
const MAX_ADDRESSES = 4096;
const MAX_WAITING = 64;
/** Records within one window, over all addresses: strangers must not fill the disk on which the log lies. */
const MAX_RECORDS = 600;
/** How the failures are named that have no other record. */
const OTHERS = 'other addresses';

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
  /** Of the window at hand: records made, and failures for which there was no room. */
  #records = 0;
  #others = 0;

  /** `report` is told the failures of one address beyond the limit, once a minute. Times in milliseconds. */
  constructor(report: (address: string, count: number) => void, delayMs = DELAY_MS, windowMs = WINDOW_MS) {
    this.#report = report;
    this.#delayMs = delayMs;
    this.#windowMs = windowMs;
  }

  /** Notes a failure. True while the address is within its limit; then it is to be recorded and answered at once. */
  failed(address: string, limitPerMinute: number): boolean {
    const client = clientOf(address);
    const failures = this.#failures.get(client) ?? this.#begin(client);
    failures.count += 1;
    if (failures.count <= limitPerMinute && this.#mayRecord()) return true;
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
    for (const client of this.#failures.keys()) this.#end(client);
    this.#endWindow();
    for (const release of this.#waiting) release();
  }

  #begin(client: string): Failures {
    const oldest = this.#failures.keys().next();
    if (this.#failures.size >= MAX_ADDRESSES && oldest.done !== true) this.#end(oldest.value);
    const failures = { count: 0, unrecorded: 0, timer: setTimeout(() => this.#end(client), this.#windowMs).unref() };
    this.#failures.set(client, failures);
    return failures;
  }

  #end(client: string): void {
    const failures = this.#failures.get(client);
    this.#failures.delete(client);
    clearTimeout(failures?.timer);
    if (failures === undefined || failures.unrecorded === 0) return;
    if (this.#mayRecord()) this.#report(client, failures.unrecorded);
    else this.#others += failures.unrecorded;
  }

  /** The first record begins a window. */
  #mayRecord(): boolean {
    if (this.#records === 0) setTimeout(() => this.#endWindow(), this.#windowMs).unref();
    if (this.#records >= MAX_RECORDS) return false;
    this.#records += 1;
    return true;
  }

  #endWindow(): void {
    if (this.#others > 0) this.#report(OTHERS, this.#others);
    this.#records = 0;
    this.#others = 0;
  }
}

/** Whose failures are counted together: an IPv4 address, or the /64 that an IPv6 client has to itself. */
function clientOf(address: string): string {
  const parsed = parseAddress(address);
  if (parsed?.bits !== 128) return address;
  const groups = [112n, 96n, 80n, 64n].map((shift) => ((parsed.value >> shift) & 0xffffn).toString(16));
  return `${groups.join(':')}::/64`;
}
