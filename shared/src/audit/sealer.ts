/**
 * Decides when the audit log is sealed: after so many records, after so much time, and at the end of a run. Never more than one
 * seal is under way, nothing waits for it, and while seals cannot be made the log goes on without: its open end then grows old,
 * which the verifier points out.
 */
import { anchorLine, anchorOf, firstAnchor } from './anchor.ts';
import type { AuditEntry } from './record.ts';
import type { SealState } from './seal-keys.ts';
import type { SealBody, SealRequest } from './seal.ts';
import { reasonOf, StewardError } from '../errors.ts';

export interface SealerOptions {
  /** Seconds between two seals at most, also while nothing is recorded: a log that is cut short then shows its age. */
  readonly everySeconds: number;
  /** Finds the current key, or makes the first. */
  open(): Promise<SealState>;
  /** Signs, off the event loop. */
  make(request: SealRequest): Promise<SealBody>;
  /** Takes one anchor to where the log's owner cannot change it later. */
  announce(line: string): void;
  /** One line for the operator. */
  report(line: string): void;
}

/** What the log tells and lets itself be told. */
export interface LogEnd {
  readonly seq: number;
  /** SHA-256 of the last line. */
  readonly hash: string;
  /** The epoch of the seal that the last line is, if it is one. */
  readonly sealed: number | undefined;
}

type Append = (entry: AuditEntry) => Promise<unknown>;

/** Records after which a seal is due. */
export const SEAL_RECORDS = 256;
/** Milliseconds between two seals at least: under load one seal covers more records, so that signing never fills a processor. */
const MIN_PAUSE_MS = 1000;

export class Sealer {
  readonly #options: SealerOptions;
  #append: Append = () => Promise.reject(new Error('no log yet'));
  #head: { readonly seq: number; readonly hash: string } = { seq: 0, hash: '' };
  #ready: Promise<boolean> = Promise.resolve(false);
  #working: Promise<void> | undefined;
  /** Made but not in the log yet. */
  #waiting: SealBody | undefined;
  #unsealed = 0;
  #last = performance.now();
  #timer: NodeJS.Timeout | undefined;
  #ending = false;

  constructor(options: SealerOptions) {
    this.#options = options;
  }

  /** The log can be written to; `end` is what it ended with. Keys are opened in the background. */
  begin(end: LogEnd, append: Append): void {
    this.#append = append;
    this.#ready = this.#open(end);
    this.#schedule();
  }

  /** So many more records are durable, and this is the last of them. */
  recorded(seq: number, hash: string, count: number): void {
    this.#head = { seq, hash };
    const before = this.#unsealed;
    this.#unsealed += count;
    if (before < SEAL_RECORDS && this.#unsealed >= SEAL_RECORDS) this.#schedule();
  }

  /** A segment is complete: the next seal is due. */
  rotated(): void {
    this.#unsealed = Math.max(this.#unsealed, SEAL_RECORDS);
    this.#schedule();
  }

  /** The last seal. Resolves when it is in the log, or when it is clear that it cannot be. */
  async finish(): Promise<void> {
    this.#ending = true;
    clearTimeout(this.#timer);
    await this.#working;
    await this.#seal(true);
  }

  async #open({ seq, sealed }: LogEnd): Promise<boolean> {
    try {
      const { epoch, key, last, fresh } = await this.#options.open();
      if (fresh) this.#options.announce(anchorLine(firstAnchor(epoch, key)));
      // Whether the seal that named this key reached the log is certain only if it is the last line. Twice does no harm.
      if (last !== undefined && last.epoch !== sealed && last.head <= seq) this.#waiting = last;
      return true;
    } catch (error) {
      this.#options.report(`the audit log is not sealed: ${reasonFor(error)}`);
      return false;
    }
  }

  #schedule(): void {
    if (this.#ending || this.#working !== undefined) return;
    clearTimeout(this.#timer);
    const pause = this.#unsealed >= SEAL_RECORDS ? MIN_PAUSE_MS : this.#options.everySeconds * 1000;
    const left = Math.max(0, this.#last + pause - performance.now());
    this.#timer = setTimeout(() => {
      this.#working = this.#seal(false).finally(() => {
        this.#working = undefined;
        this.#schedule();
      });
    }, left).unref();
  }

  async #seal(final: boolean): Promise<void> {
    this.#last = performance.now();
    if (!(await this.#ready) || this.#head.seq === 0) return;
    try {
      if (this.#waiting !== undefined) await this.#record(this.#waiting);
      this.#unsealed = 0;
      const request = { head: this.#head.seq, hash: this.#head.hash, made: new Date().toISOString() };
      this.#waiting = await this.#options.make({ ...request, every: this.#options.everySeconds, final });
      await this.#record(this.#waiting);
    } catch (error) {
      this.#options.report(`the audit log could not be sealed: ${reasonFor(error)}`);
    }
  }

  async #record(seal: SealBody): Promise<void> {
    await this.#append({ kind: 'seal', seal });
    this.#waiting = undefined;
    this.#options.announce(anchorLine(anchorOf(seal)));
  }
}

const reasonFor = (error: unknown): string =>
  error instanceof StewardError ? String(error.params['reason'] ?? error.message) : reasonOf(error);
