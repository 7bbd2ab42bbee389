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

/** UTF-16 units of lines that are held. */
const HELD = 1024 * 1024;

export class AuditFeed {
  #records: FedRecord[] = [];
  #size = 0;
  /** Counts interruptions: an iteration that sees another number than at its beginning is over. */
  #round = 0;
  #changed = Promise.withResolvers<void>();

  /** Takes records that have just become durable, in their order. */
  add(records: readonly FedRecord[]): void {
    for (const record of records) {
      this.#records.push(record);
      this.#size += record.line.length;
    }
    let first = 0;
    while (this.#size > HELD && first < this.#records.length - 1) this.#size -= this.#records[first++]?.line.length ?? 0;
    if (first > 0) this.#records = this.#records.slice(first);
    this.#wake();
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
    last = Math.max(last, (this.#records[0]?.seq ?? 1) - 1);
    const stopped = (): void => this.#wake();
    stop.addEventListener('abort', stopped);
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
    }
  }

  /** The first held record behind `seq`. Their numbers have no gaps. */
  #behind(seq: number): FedRecord | undefined {
    const first = this.#records[0];
    return first === undefined ? undefined : this.#records[Math.max(0, seq + 1 - first.seq)];
  }

  #wake(): void {
    const { resolve } = this.#changed;
    this.#changed = Promise.withResolvers();
    resolve();
  }
}
