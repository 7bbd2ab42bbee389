/**
 * The records of the audit log as they become durable, for those who may watch. Holds a bounded number of the latest: a reader that
 * does not keep up loses its place and is told so, and the log waits for nobody.
 */
import type { AuditKind } from './record.ts';
import { StewardError } from '../errors.ts';

/** A record as it stands in the log. */
export interface FedRecord {
  readonly seq: number;
  readonly kind: AuditKind;
  /** Its line without the newline. */
  readonly line: string;
}

/** UTF-16 units of lines that are held for readers, and while there have been none for a while. */
const [HELD, HELD_IDLE] = [1024 * 1024, 16 * 1024];
/** Milliseconds for which a reader that went may come back and miss nothing. */
const KEPT_MS = 60_000;
/** Records let go before the list is made shorter: done for each it would be copied for each. */
const SLACK = 256;

export class AuditFeed {
  #records: FedRecord[] = [];
  /** Where in the list those begin that are held. */
  #first = 0;
  #size = 0;
  #readers = 0;
  /** Until when records are held for one that went, in milliseconds of the monotonic clock. */
  #keptUntil = 0;
  /** Counts interruptions: an iteration that sees another number than at its beginning is over. */
  #round = 0;
  #changed = Promise.withResolvers<void>();

  /** Takes records that have just become durable, in their order. */
  add(records: readonly FedRecord[]): void {
    for (const record of records) {
      this.#records.push(record);
      this.#size += record.line.length;
    }
    const held = this.#readers > 0 || performance.now() < this.#keptUntil ? HELD : HELD_IDLE;
    while (this.#size > held && this.#first < this.#records.length - 1) this.#letGo();
    if (this.#first >= SLACK) {
      this.#records.splice(0, this.#first);
      this.#first = 0;
    }
    this.#wake();
  }

  #letGo(): void {
    const { seq, kind, line } = this.#records[this.#first] ?? { seq: 0, kind: 'stop', line: '' };
    this.#size -= line.length;
    this.#records[this.#first] = { seq, kind, line: '' };
    this.#first += 1;
  }

  /** Ends all iterations after what they have given: who may watch has changed, and must be asked again. */
  interrupt(): void {
    this.#round += 1;
    this.#wake();
  }

  /**
   * Records behind `after`, or from now on, until `stop` is aborted. Begins later than asked when those are no longer held. Throws
   * `busy` when the reader has fallen behind.
   */
  async *from(after: number | undefined, stop: AbortSignal): AsyncGenerator<FedRecord> {
    const round = this.#round;
    let last = after ?? this.#records.at(-1)?.seq ?? 0;
    last = Math.max(last, (this.#records[this.#first]?.seq ?? 1) - 1);
    const stopped = (): void => this.#wake();
    stop.addEventListener('abort', stopped);
    this.#readers += 1;
    try {
      while (!stop.aborted && this.#round === round) {
        const next = this.#behind(last);
        if (next === undefined) await this.#changed.promise;
        else {
          if (next.seq > last + 1 && last > 0) throw new StewardError('busy');
          last = next.seq;
          yield next;
        }
      }
    } finally {
      stop.removeEventListener('abort', stopped);
      this.#readers -= 1;
      this.#keptUntil = performance.now() + KEPT_MS;
    }
  }

  /** The first held record behind `seq`. Their numbers have no gaps. */
  #behind(seq: number): FedRecord | undefined {
    const first = this.#records[this.#first];
    return first === undefined ? undefined : this.#records[this.#first + Math.max(0, seq + 1 - first.seq)];
  }

  #wake(): void {
    const { resolve } = this.#changed;
    this.#changed = Promise.withResolvers();
    resolve();
  }
}
