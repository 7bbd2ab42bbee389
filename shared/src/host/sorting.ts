/**
 * Sorts byte strings, however many: in memory up to a budget, beyond that in sorted runs in a temporary file that are merged when
 * read. For directories of a million entries.
 */
import { closeSync, readSync, writeSync } from 'node:fs';
import { openUnlinked } from './spool.ts';

/** Bytes of strings held in memory by all sorters that share a budget; what one object costs is estimated. */
const DEFAULT_LIMIT = 8 * 1024 * 1024;
const STRING_OVERHEAD = 40;
/** The smallest run is this part of the budget. */
const SMALLEST_RUN = 16;
const WRITE_BYTES = 256 * 1024;
const READ_BYTES = 32 * 1024;
/** Strings of a merge that are handed on at a time. */
const GATHERED = 256;
/** Each string in a run is preceded by its length. */
const PREFIX_BYTES = 2;
const MAX_STRING = 0xffff;

/** One source of a merge and its next string. */
interface Head {
  text: string;
  readonly source: Iterator<string, undefined>;
}

/** Memory shared by sorters that are alive at the same time, in bytes. */
export class SortBudget {
  readonly limit: number;
  held = 0;

  constructor(limit: number = DEFAULT_LIMIT) {
    this.limit = limit;
  }
}

export interface SortOptions {
  readonly budget: SortBudget;
  readonly descending?: boolean;
  /** For the temporary file; see openUnlinked. */
  readonly directory?: string;
}

/** Add strings (at most 65535 bytes each), then take them once, by `drain` or `batches`; close when that is abandoned. */
export class Sorter {
  readonly #options: SortOptions;
  #memory: string[] = [];
  #held = 0;
  #file: { readonly fd: number; size: number } | undefined;
  readonly #runs: { start: number; end: number }[] = [];

  constructor(options: SortOptions) {
    this.#options = options;
  }

  /** True once something went to the temporary file. */
  get spilled(): boolean {
    return this.#file !== undefined;
  }

  add(text: string): void {
    this.#memory.push(text);
    const cost = text.length + STRING_OVERHEAD;
    this.#held += cost;
    this.#options.budget.held += cost;
    // with others holding most of the budget, tiny runs would help nobody
    const { held, limit } = this.#options.budget;
    if (held > limit && this.#held > limit / SMALLEST_RUN) this.#spill();
  }

  /** As `add`, for many at once: where they fit into the budget each costs almost nothing. */
  addAll(texts: readonly string[]): void {
    const cost = texts.join('').length + texts.length * STRING_OVERHEAD;
    if (this.#options.budget.held + cost > this.#options.budget.limit) {
      for (const text of texts) this.add(text);
      return;
    }
    this.#memory = this.#memory.concat(texts);
    this.#held += cost;
    this.#options.budget.held += cost;
  }

  /** All strings in order. */
  *drain(): Generator<string> {
    for (const batch of this.batches()) yield* batch;
  }

  /** The same many at a time. */
  *batches(): Generator<readonly string[]> {
    try {
      this.#sortMemory();
      if (this.#runs.length === 0) yield this.#memory;
      else yield* gathered(this.#merge());
    } finally {
      this.close();
    }
  }

  /** Gives memory and file back; safe to call twice. */
  close(): void {
    this.#release();
    if (this.#file !== undefined) closeSync(this.#file.fd);
    this.#file = undefined;
  }

  #release(): void {
    this.#memory = [];
    this.#options.budget.held -= this.#held;
    this.#held = 0;
  }

  #sortMemory(): void {
    this.#memory.sort(); // byte strings: code units are bytes
    if (this.#options.descending === true) this.#memory.reverse();
  }

  #spill(): void {
    this.#sortMemory();
    const file = (this.#file ??= { fd: openUnlinked(this.#options.directory), size: 0 });
    const start = file.size;
    const buffer = Buffer.allocUnsafe(WRITE_BYTES + PREFIX_BYTES + MAX_STRING);
    let used = 0;
    for (const text of this.#memory) {
      used = buffer.writeUInt16LE(text.length, used);
      used += buffer.write(text, used, 'latin1');
      if (used < WRITE_BYTES) continue;
      append(file, buffer.subarray(0, used));
      used = 0;
    }
    append(file, buffer.subarray(0, used));
    this.#runs.push({ start, end: file.size });
    this.#release();
  }

  /** The sources in a heap by their next strings, the first of all at its top. */
  *#merge(): Generator<string> {
    const { fd } = this.#file ?? { fd: -1 };
    const heap: Head[] = [];
    for (const source of [this.#memory.values(), ...this.#runs.map((run) => readRun(fd, run))]) {
      const first: IteratorResult<string, undefined> = source.next();
      if (first.done !== true) heap.push({ text: first.value, source });
    }
    heap.sort((a, b) => (this.#before(a.text, b.text) ? -1 : 1));
    for (let top = heap[0]; top !== undefined; top = heap[0]) {
      yield top.text;
      const next = top.source.next();
      if (next.done !== true) top.text = next.value;
      else if (heap.length > 1) heap[0] = heap.pop() ?? top;
      else return;
      this.#sink(heap);
    }
  }

  /** Moves the top of the heap down to where it belongs. */
  #sink(heap: Head[]): void {
    const [moved] = heap;
    if (moved === undefined) return;
    let at = 0;
    for (let child = 1; child < heap.length; child = 2 * at + 1) {
      const [one, other] = [heap[child], heap[child + 1]];
      const first = one !== undefined && other !== undefined && this.#before(other.text, one.text) ? other : one;
      if (first === undefined || !this.#before(first.text, moved.text)) break;
      heap[at] = first;
      at = first === one ? child : child + 1;
    }
    heap[at] = moved;
  }

  #before(a: string, b: string): boolean {
    return this.#options.descending === true ? a > b : a < b;
  }
}

function* gathered(texts: Iterable<string>): Generator<readonly string[]> {
  let batch: string[] = [];
  for (const text of texts) {
    if (batch.push(text) < GATHERED) continue;
    yield batch;
    batch = [];
  }
  yield batch;
}

function append(file: { readonly fd: number; size: number }, bytes: Buffer): void {
  for (let done = 0; done < bytes.length;) {
    const written = writeSync(file.fd, bytes, done, bytes.length - done, file.size);
    done += written;
    file.size += written;
  }
}

/** The strings of a run, through one buffer: a merge of many runs leaves nothing behind for each piece that it reads. */
function* readRun(fd: number, run: { start: number; end: number }): Generator<string, undefined> {
  let buffer = Buffer.allocUnsafeSlow(Math.min(READ_BYTES, run.end - run.start));
  let filled = 0;
  for (let position = run.start; position < run.end;) {
    if (filled === buffer.length) buffer = Buffer.concat([buffer], PREFIX_BYTES + MAX_STRING); // a string that is longer than most
    const count = readSync(fd, buffer, filled, Math.min(buffer.length - filled, run.end - position), position);
    if (count === 0) throw new Error('the sort file is shorter than what was written');
    position += count;
    filled += count;
    let at = 0;
    while (at + PREFIX_BYTES <= filled) {
      const end = at + PREFIX_BYTES + buffer.readUInt16LE(at);
      if (end > filled) break;
      yield buffer.toString('latin1', at + PREFIX_BYTES, end);
      at = end;
    }
    buffer.copyWithin(0, at, filled);
    filled -= at;
  }
  return undefined;
}
