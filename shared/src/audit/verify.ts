/**
 * Verifies an audit log from its files alone: the chain of hashes over all segments, the sequence numbers, and that every torn
 * line is accounted for by a record of the next start. Works on a copy, without the daemon.
 *
 * What this can show: any change, removal, insertion or reordering of a line that has a successor. What it cannot show, because
 * nothing outside the chain vouches for its end: complete lines cut off the end of the log, a change of the very last line that
 * leaves it well-formed, and a log rewritten as a whole by whoever was root. Removed first segments and missing segments in
 * between are noticed; so is an unfinished last line.
 */
import { createHash } from 'node:crypto';
import { join } from 'node:path';
import { GENESIS, type AuditRecord } from './record.ts';
import { parseRecord } from './read.ts';
import { listSegments, readLines, type Line, type Segment } from './segments.ts';

export interface Verdict {
  readonly state: 'good' | 'altered' | 'truncated';
  /** Records that were read, up to the first alteration. */
  readonly records: number;
  /** `<segment>:<line>` of the first thing wrong. */
  readonly firstBad?: string;
  /** One sentence. */
  readonly message: string;
}

interface Torn {
  readonly place: string;
  readonly segment: string;
  readonly size: number;
  readonly sha256: string;
}

/** Thrown inside to end the reading at the first alteration. */
class Altered extends Error {
  readonly place: string;

  constructor(place: string, message: string) {
    super(message);
    this.place = place;
  }
}

function sha256(bytes: Uint8Array): string {
  return createHash('sha256').update(bytes).digest('hex');
}

class Verifier {
  records = 0;
  /** What is missing, first thing first; never an alteration. */
  readonly missing: { readonly place: string; readonly message: string }[] = [];
  last: AuditRecord | undefined;
  #seq = 0;
  #prev = GENESIS;
  /** True where the chain cannot be followed because what came before is not there. */
  #gap = false;
  #number = 0;
  #torn: Torn[] = [];

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
    this.#gap = false;
    this.#seq = record.seq;
    this.#prev = sha256(line.bytes);
    this.last = record;
    this.records += 1;
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

  /** What is left open at the end of the log. */
  finish(): void {
    for (const torn of this.#torn) this.missing.push({ place: torn.place, message: 'the last line is unfinished' });
  }
}

function summary(verifier: Verifier): Verdict {
  const { records, last, missing } = verifier;
  const [first] = missing;
  if (first !== undefined) return { state: 'truncated', records, firstBad: first.place, message: first.message };
  if (last === undefined) return { state: 'truncated', records, message: 'no record: the log is empty' };
  const end = last.kind === 'stop' ? 'closed' : 'open: still being written, or its end is missing';
  return { state: 'good', records, message: `${records} records, the last is ${last.seq} at ${last.time}; the log is ${end}` };
}

/** Verifies the log in `directory`. Throws the system error when it cannot be read. */
export async function verifyAudit(directory: string): Promise<Verdict> {
  const verifier = new Verifier();
  try {
    for (const segment of await listSegments(directory)) {
      verifier.startSegment(segment);
      let number = 0;
      for await (const line of readLines(join(directory, segment.name))) {
        const place = `${segment.name}:${(number += 1)}`;
        if (line.complete) verifier.record(line, place);
        else verifier.tornLine(line.bytes, segment.name, place);
      }
    }
  } catch (error) {
    if (!(error instanceof Altered)) throw error;
    return { state: 'altered', records: verifier.records, firstBad: error.place, message: error.message };
  }
  verifier.finish();
  return summary(verifier);
}
