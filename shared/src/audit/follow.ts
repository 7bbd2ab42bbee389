/**
 * Follows an audit log that is being written, from any segment on: every look gives the records that have become complete since
 * the one before. Reads files, says nothing about whether they are genuine.
 */
import { join } from 'node:path';
import { parseRecord } from './read.ts';
import type { AuditRecord } from './record.ts';
import { listSegments, readLines } from './segments.ts';

export class LogFollower {
  readonly #directory: string;
  /** Number of the segment at hand, and how much of it has been read. */
  #number: number;
  #offset = 0;

  /** Begins with segment `number`, or the first one behind it. */
  constructor(directory: string, number: number) {
    this.#directory = directory;
    this.#number = number;
  }

  /** The records that are new, oldest first. Throws the system error when the log cannot be read. */
  async *look(): AsyncGenerator<AuditRecord> {
    const segments = (await listSegments(this.#directory)).filter(({ number }) => number >= this.#number);
    for (const { name, number } of segments) {
      if (number !== this.#number) [this.#number, this.#offset] = [number, 0];
      for await (const line of readLines(join(this.#directory, name), this.#offset)) {
        if (!line.complete) break; // being written, or torn: then the next segment goes on
        this.#offset += line.bytes.length + 1;
        const record = parseRecord(line.bytes);
        if (record !== undefined) yield record;
      }
    }
  }
}
