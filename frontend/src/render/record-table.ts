/**
 * Tables of any length made of records: widths come from a first look at all of them and lines from a second, so that no table is
 * held. The first look may be taken while the operation is still at work; small tables are held, and looked at once.
 */
import { setImmediate } from 'node:timers/promises';
import { batchesOf, inBatches, type Batched } from './batches.ts';
import { Formatter, measure, TABLE, type Cells, type Layout } from './columns.ts';

export interface Columns<Item> {
  /** The first line; none when empty. */
  readonly header: Cells;
  /** Must give the same cells for the same record. */
  readonly cells: (record: Item) => Cells;
  readonly layout?: Layout;
}

/** Characters of a table that is held. */
const HELD = 128 * 1024;

export class RecordTable<Item> {
  readonly #columns: Columns<Item>;
  readonly #widths: number[] = [];
  #held: (readonly Cells[])[] | undefined = [];
  #size = 0;
  #count = 0;

  constructor(columns: Columns<Item>) {
    this.#columns = columns;
    measure(this.#widths, [columns.header]);
  }

  /** How many have been seen. */
  get count(): number {
    return this.#count;
  }

  /** Takes records in their order, each once. */
  see(records: readonly Item[]): void {
    const rows = records.map(this.#columns.cells);
    measure(this.#widths, rows);
    this.#count += rows.length;
    if (this.#held === undefined) return;
    this.#size += rows.join().length;
    if (this.#size > HELD) this.#held = undefined;
    else this.#held.push(rows);
  }

  /**
   * The lines. `records` is called as often as they are needed and must give the same each time: twice when none have been seen.
   * Columns from number `columns` on are left out.
   */
  lines(records: () => AsyncIterable<Item>, columns?: number): Batched<string> {
    return inBatches(() => this.#lines(records, columns));
  }

  async *#lines(records: () => AsyncIterable<Item>, columns?: number): AsyncGenerator<readonly string[]> {
    const { header, cells, layout = TABLE } = this.#columns;
    if (this.#count === 0) await this.#seeAll(records());
    const format = new Formatter(this.#widths.slice(0, columns), layout);
    if (header.length > 0) yield format.lines([header]);
    if (this.#held !== undefined) for (const rows of this.#held) yield format.lines(rows);
    else for await (const batch of batchesOf(records())) yield format.lines(batch.map(cells));
  }

  /** Records that are at hand in memory do not keep the event loop waiting. */
  async #seeAll(records: AsyncIterable<Item>): Promise<void> {
    for await (const batch of batchesOf(records)) {
      this.see(batch);
      await setImmediate();
    }
  }
}
