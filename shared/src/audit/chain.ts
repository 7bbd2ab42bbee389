/**
 * Follows the chain of an audit log line by line: hashes, sequence numbers, torn lines, and the seals. Finds the first thing that
 * was altered, and everything that is missing.
 */
import { createHash } from 'node:crypto';
import type { Anchor } from './anchor.ts';
import type { Checkpoint } from './checkpoint.ts';
import { GENESIS, type AuditRecord } from './record.ts';
import { parseRecord } from './read.ts';
import type { Line, Segment } from './segments.ts';
import { SealBroken, SealVerifier } from './verify-seals.ts';

interface Torn {
  readonly place: string;
  readonly segment: string;
  readonly size: number;
  readonly sha256: string;
}

/** Thrown to end the reading at the first alteration. `place` is `<segment>:<line>`. */
export class Altered extends Error {
  readonly place: string;

  constructor(place: string, message: string) {
    super(message);
    this.place = place;
  }
}

function sha256(bytes: Uint8Array): string {
  return createHash('sha256').update(bytes).digest('hex');
}

export class Chain {
  records = 0;
  /** What is missing, first thing first; never an alteration. */
  readonly missing: { readonly place: string; readonly message: string }[] = [];
  readonly seals: SealVerifier;
  first: AuditRecord | undefined;
  last: AuditRecord | undefined;
  #seq: number;
  #prev: string;
  /** True where the chain cannot be followed because what came before is not there. */
  #gap = false;
  #number: number;
  #torn: Torn[] = [];

  /** Throws Altered when anchors and checkpoint contradict each other. */
  constructor(anchors: readonly Anchor[] = [], checkpoint?: Checkpoint) {
    this.#seq = checkpoint?.seq ?? 0;
    this.#prev = checkpoint?.hash ?? GENESIS;
    this.#number = checkpoint?.number ?? 0;
    this.seals = unbroken('the checkpoint', () => new SealVerifier(anchors, checkpoint));
  }

  /** Where a verified log could be cut: everything read so far is whole. Undefined when no seal vouches for it. */
  get checkpoint(): Checkpoint | undefined {
    const { epoch, key } = this.seals.next;
    if (key === undefined || this.missing.length > 0 || this.#torn.length > 0) return undefined;
    return { number: this.#number, seq: this.#seq, hash: this.#prev, epoch, key };
  }

  startSegment({ name, number }: Segment): void {
    if (number === this.#number) throw new Altered(`${name}:1`, `two segments have the number ${number}`);
    if (number !== this.#number + 1) {
      const absent = this.#number + 1 === number - 1 ? `segment ${number - 1}` : `segments ${this.#number + 1} to ${number - 1}`;
      this.missing.push({ place: `${name}:1`, message: `${absent} of the log: not here` });
      this.#gap = true;
      this.#torn = [];
    }
    this.#number = number;
  }

  /** A line without newline: the end of a write that a crash cut off. Good only if the next start has recorded it. */
  tornLine(bytes: Buffer, segment: string, place: string): void {
    this.#torn.push({ place, segment, size: bytes.length, sha256: sha256(bytes) });
  }

  record(line: Line, place: string): void {
    const record = parseRecord(line.bytes);
    if (record === undefined) throw new Altered(place, 'not a record');
    const begins = this.#gap ? record.seq > this.#seq : record.seq === this.#seq + 1;
    if (!begins)
      throw new Altered(place, `record ${record.seq} stands where ${this.#gap ? 'a later one' : this.#seq + 1} belongs`);
    if (!this.#gap && record.prev !== this.#prev) throw new Altered(place, 'the hash of the line before does not fit');
    this.#settleTorn(record, place);
    if (this.#gap) this.seals.gap(record.seq);
    this.#gap = false;
    this.#seq = record.seq;
    this.#prev = sha256(line.bytes);
    this.#settleSeal(record, line.bytes, place);
    this.first ??= record;
    this.last = record;
    this.records += 1;
  }

  /** What is left open at the end of the log. */
  finish(): void {
    for (const torn of this.#torn) this.missing.push({ place: torn.place, message: 'the last line is unfinished' });
    const anchor = this.seals.unreached(this.#seq);
    if (anchor === undefined) return;
    const message = `the log was seen with epoch ${anchor.epoch} behind record ${anchor.seq}: not here`;
    this.missing.push({ place: 'the end', message });
  }

  #settleSeal(record: AuditRecord, bytes: Buffer, place: string): void {
    unbroken(place, () => {
      this.seals.line(record.seq, this.#prev);
      const message = record.kind === 'seal' ? this.seals.seal(record, bytes) : undefined;
      if (message !== undefined) this.missing.push({ place, message });
    });
  }

  /** Torn lines must be named by `recovered` records before anything else is recorded. */
  #settleTorn(record: AuditRecord, place: string): void {
    const index = this.#torn.findIndex((torn) => torn.segment === record.object);
    if (record.kind === 'recovered') {
      const torn = this.#torn[index];
      if (torn === undefined && this.#gap) return;
      if (torn === undefined) throw new Altered(place, 'names an unfinished line that is not there');
      if (record.args?.['size'] !== torn.size || record.args['sha256'] !== torn.sha256) {
        throw new Altered(torn.place, 'this unfinished line is not the one that was recorded');
      }
      this.#torn.splice(index, 1);
    } else if (this.#torn[0] !== undefined) {
      throw new Altered(this.#torn[0].place, 'an unfinished line that no record accounts for');
    }
  }
}

/** Gives a broken seal its place. */
function unbroken<T>(place: string, check: () => T): T {
  try {
    return check();
  } catch (error) {
    if (!(error instanceof SealBroken)) throw error;
    throw new Altered(place, error.message);
  }
}
