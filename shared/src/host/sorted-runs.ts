/**
 * Sorted runs of byte strings in a temporary file without a name: a sorter writes one when it holds too much, and reads all of them
 * side by side when it merges. Runs cross to another thread's file as bytes, so that nobody has to sort them again. Trusted with
 * names that the caller may see, and with nothing else.
 */
import { closeSync, readSync, writeSync } from 'node:fs';
import { openUnlinked } from './spool.ts';

const WRITE_BYTES = 64 * 1024;
/** Held for each run of a merge. */
const READ_BYTES = 16 * 1024;
const PIECE_BYTES = 64 * 1024;
/** Each string in a run is preceded by its length, little endian. */
const PREFIX_BYTES = 2;
const MAX_STRING = 0xffff;

/** Part of a run, as it is in the file. Plain data: it is copied between threads of one process. */
export interface RunPiece {
  readonly bytes: Uint8Array<ArrayBuffer>;
  /** Whether its run is complete with it. */
  readonly last: boolean;
}

/** Bytes of the file from `start` to before `end`. */
interface Run {
  readonly start: number;
  readonly end: number;
}

export class RunFile {
  readonly #fd: number;
  #size = 0;
  /** Where the run begins of which not all pieces have come. */
  #begun = 0;
  readonly #runs: Run[] = [];

  /** Throws the system error when no file can be made; for `directory` see openUnlinked. */
  constructor(directory?: string) {
    this.#fd = openUnlinked(directory);
  }

  /** Adds strings (at most 65535 bytes each), which are sorted, as one run. Throws the system error of the file. */
  write(texts: readonly string[]): void {
    const buffer = Buffer.allocUnsafeSlow(WRITE_BYTES + PREFIX_BYTES + MAX_STRING);
    let used = 0;
    for (const text of texts) {
      used = buffer.writeUInt16LE(text.length, used);
      used += buffer.write(text, used, 'latin1');
      if (used < WRITE_BYTES) continue;
      this.#append(buffer.subarray(0, used));
      used = 0;
    }
    this.#append(buffer.subarray(0, used));
    this.#endRun();
  }

  /** Everything, for another file; each piece is valid until the next is asked for. */
  *pieces(): Generator<RunPiece> {
    const buffer = Buffer.allocUnsafeSlow(PIECE_BYTES);
    for (const { start, end } of this.#runs) {
      for (let position = start; position < end;) {
        const count = this.#read(buffer, 0, position, end);
        position += count;
        yield { bytes: buffer.subarray(0, count), last: position === end };
      }
    }
  }

  /** Adds a piece of another file, in its order. */
  take({ bytes, last }: RunPiece): void {
    this.#append(bytes);
    if (last) this.#endRun();
  }

  /** One iterator for each run. */
  readers(): Iterator<string, undefined>[] {
    return this.#runs.map((run) => this.#strings(run));
  }

  /** Gives the file back. */
  close(): void {
    closeSync(this.#fd);
  }

  #endRun(): void {
    this.#runs.push({ start: this.#begun, end: this.#size });
    this.#begun = this.#size;
  }

  #append(bytes: Uint8Array): void {
    for (let done = 0; done < bytes.length;) {
      const written = writeSync(this.#fd, bytes, done, bytes.length - done, this.#size);
      done += written;
      this.#size += written;
    }
  }

  /** Fills a buffer from `at`, with nothing beyond `end` of the file. */
  #read(buffer: Buffer, at: number, position: number, end: number): number {
    const count = readSync(this.#fd, buffer, at, Math.min(buffer.length - at, end - position), position);
    if (count === 0) throw new Error('the sort file is shorter than what was written');
    return count;
  }

  /** The strings of a run, through one buffer: a merge of many runs leaves nothing behind for each piece that it reads. */
  *#strings({ start, end }: Run): Generator<string, undefined> {
    let buffer = Buffer.allocUnsafeSlow(Math.min(READ_BYTES, end - start));
    let filled = 0;
    for (let position = start; position < end;) {
      if (filled === buffer.length) buffer = Buffer.concat([buffer], PREFIX_BYTES + MAX_STRING); // a string that is longer than most
      const count = this.#read(buffer, filled, position, end);
      position += count;
      filled += count;
      let at = 0;
      while (at + PREFIX_BYTES <= filled) {
        const behind = at + PREFIX_BYTES + buffer.readUInt16LE(at);
        if (behind > filled) break;
        yield buffer.toString('latin1', at + PREFIX_BYTES, behind);
        at = behind;
      }
      buffer.copyWithin(0, at, filled);
      filled -= at;
    }
    return undefined;
  }
}
