/**
 * Items of a stream many at a time. A turn of an async iterator for each of a hundred thousand rows costs more than making the row:
 * whatever works through records takes them as they come from the spool, some hundred together.
 */

/** A stream whose items may also be taken many at a time. May be iterated again exactly when its source may. */
export interface Batched<T> extends AsyncIterable<T> {
  batches(): AsyncIterable<readonly T[]>;
}

class Batches<T> implements Batched<T> {
  readonly #make: () => AsyncIterable<readonly T[]>;

  constructor(make: () => AsyncIterable<readonly T[]>) {
    this.#make = make;
  }

  batches(): AsyncIterable<readonly T[]> {
    return this.#make();
  }

  async *[Symbol.asyncIterator](): AsyncGenerator<T> {
    for await (const batch of this.#make()) yield* batch;
  }
}

/** The items of these batches; `make` is called for each iteration. */
export function inBatches<T>(make: () => AsyncIterable<readonly T[]>): Batched<T> {
  return new Batches(make);
}

/** The items as they come: many at a time where the stream has them so, else one by one. */
export function batchesOf<T>(items: AsyncIterable<T>): AsyncIterable<readonly T[]> {
  return items instanceof Batches ? (items as Batches<T>).batches() : singly(items);
}

async function* singly<T>(items: AsyncIterable<T>): AsyncGenerator<readonly T[]> {
  for await (const item of items) yield [item];
}

/** The items changed one by one. */
export function mapped<From, To>(items: AsyncIterable<From>, change: (item: From) => To): Batched<To> {
  return inBatches(async function* () {
    for await (const batch of batchesOf(items)) yield batch.map(change);
  });
}

/** Some items, then those of a stream. */
export function preceded<T>(first: readonly T[], items: AsyncIterable<T>): Batched<T> {
  return inBatches(async function* () {
    yield first;
    yield* batchesOf(items);
  });
}

/** The records of JSON lines (no record contains a newline), a batch for each of the pieces, which may end anywhere. */
export function parsedLines<T>(pieces: () => AsyncIterable<Uint8Array>): Batched<T> {
  return inBatches(async function* () {
    const reader = new LineReader<T>();
    for await (const bytes of pieces()) {
      const records = reader.take(bytes);
      if (records.length > 0) yield records;
    }
    const last = reader.end();
    if (last.length > 0) yield last;
  });
}

/** Between two lines. */
const NEWLINE = 0x0a;

/**
 * Takes JSON lines piece by piece and gives the records that are complete. Only whole lines are decoded: a decoder that goes on from
 * piece to piece makes two bytes of every character, also of plain ones, and such strings wait for a collection of the whole heap.
 */
export class LineReader<T> {
  readonly #decoder = new TextDecoder('utf-8', { ignoreBOM: true });
  /** What came behind the last newline. */
  #rest: Uint8Array[] = [];

  /** The records that end in this piece, which the caller may use again afterwards. */
  take(bytes: Uint8Array): readonly T[] {
    const end = bytes.lastIndexOf(NEWLINE);
    const lines = end > 0 || (end === 0 && this.#rest.length > 0) ? this.#through(bytes.subarray(0, end)) : '';
    if (end + 1 < bytes.length) this.#rest.push(new Uint8Array(bytes.subarray(end + 1)));
    return lines === '' ? [] : parseLines<T>(lines);
  }

  /** What came behind the last newline. */
  end(): readonly T[] {
    return this.#rest.length === 0 ? [] : parseLines<T>(this.#through(new Uint8Array()));
  }

  /** The text from the rest to the end of these bytes. */
  #through(bytes: Uint8Array): string {
    if (this.#rest.length === 0) return this.#decoder.decode(bytes);
    const whole = Buffer.concat([...this.#rest, bytes]);
    this.#rest = [];
    return this.#decoder.decode(whole);
  }
}

/** One call of the engine for all of them. */
function parseLines<T>(lines: string): readonly T[] {
  return JSON.parse(`[${lines.replaceAll('\n', ',')}]`) as T[];
}
