/**
 * Sorts byte strings, however many: in memory up to a budget, beyond that in sorted runs in a temporary file that are merged when
 * read. For directories of a million entries.
 */
import { collectNow, giveBack } from './settle.ts';
import { RunFile, type RunPiece } from './sorted-runs.ts';

/** Bytes of strings held in memory by all sorters that share a budget; what one object costs is estimated. */
const DEFAULT_LIMIT = 8 * 1024 * 1024;
const STRING_OVERHEAD = 40;
/** The smallest run is this part of the budget. */
const SMALLEST_RUN = 16;
/** Strings that are handed on at a time, where nobody says how many. */
const AT_A_TIME = 256;
/** Strings that are taken in one step: each is an argument, for which there is no endless room. */
const PUSHED = 2048;

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
  #file: RunFile | undefined;

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
    for (let at = 0; at < texts.length; at += PUSHED) this.#memory.push(...texts.slice(at, at + PUSHED));
    this.#held += cost;
    this.#options.budget.held += cost;
  }

  /** All strings in order. */
  *drain(): Generator<string> {
    for (const batch of this.batches()) yield* batch;
  }

  /** The same, so many at a time. */
  *batches(most: number = AT_A_TIME): Generator<readonly string[]> {
    try {
      if (this.#file === undefined) {
        this.#sortMemory();
        const all = this.#memory;
        for (let at = 0; at < all.length; at += most) yield all.slice(at, at + most);
      } else {
        this.#spill();
        yield* gathered(this.#merge(this.#file), most);
      }
    } finally {
      this.close();
    }
  }

  /** Gives memory and file back; safe to call twice. */
  close(): void {
    this.#release();
    if (this.#file === undefined) return;
    this.#file.close();
    this.#file = undefined;
    giveBack();
  }

  /** For a sorter that has spilled: all it holds, as pieces for another one to `take`. Close it afterwards. */
  pieces(): Generator<RunPiece> {
    this.#spill();
    return this.#fileForRuns().pieces();
  }

  /** Takes a piece of another sorter that sorts the same way; pieces come in their order. */
  take(piece: RunPiece): void {
    this.#fileForRuns().take(piece);
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

  #fileForRuns(): RunFile {
    return (this.#file ??= new RunFile(this.#options.directory));
  }

  #spill(): void {
    this.#writeRun();
    collectNow(); // not before that has returned: its frame keeps the strings alive
  }

  #writeRun(): void {
    this.#sortMemory();
    this.#fileForRuns().write(this.#memory);
    this.#release();
  }

  /** The sources in a heap by their next strings, the first of all at its top. */
  *#merge(file: RunFile): Generator<string> {
    const heap: Head[] = [];
    for (const source of file.readers()) {
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

function* gathered(texts: Iterable<string>, most: number): Generator<readonly string[]> {
  let batch: string[] = [];
  for (const text of texts) {
    if (batch.push(text) < most) continue;
    yield batch;
    batch = [];
  }
  yield batch;
}
