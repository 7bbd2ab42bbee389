/**
 * Tables of any length made of records: widths come from a first look at all of them and lines from a second, so that no table is
 * held. Mostly the first look is taken while the operation is still at work, and what is kept of the records is their cells; those
 * of a small table stay in memory.
 */
import { setImmediate } from 'node:timers/promises';
import type { Rendered, RenderOptions, Tool } from '../tools/tool.ts';
import { batchesOf, inBatches, type Batched } from './batches.ts';
import { arePlain, Formatter, measure, TABLE, type Cells, type Layout } from './columns.ts';

export interface Columns<Item> {
  /** The first line; none when empty. */
  readonly header: Cells;
  /** Must give the same cells for the same record. */
  readonly cells: (record: Item) => Cells;
  readonly layout?: Layout;
}

/** Rows as they are kept; `plain`: all cells are as wide as they are long. */
type Kept = readonly [plain: boolean, rows: readonly Cells[]];

/** Characters of a table that is held. */
const HELD = 128 * 1024;

export class RecordTable<Item> {
  readonly #columns: Columns<Item>;
  readonly #widths: number[] = [];
  #held: Kept[] | undefined = [];
  #size = 0;

  constructor(columns: Columns<Item>) {
    this.#columns = columns;
    measure(this.#widths, [columns.header], arePlain(JSON.stringify(columns.header)));
  }

  /**
   * Takes records in their order, each once, and gives what must be kept of all that came so far and was not given yet: JSON on one
   * line, or nothing while the table is small.
   */
  take(records: readonly Item[]): string | undefined {
    const rows = records.map(this.#columns.cells);
    const text = JSON.stringify(rows);
    const plain = arePlain(text);
    measure(this.#widths, rows, plain);
    if (this.#held === undefined) return `[${String(plain)},${text}]`;
    this.#held.push([plain, rows]);
    this.#size += text.length;
    if (this.#size <= HELD) return undefined;
    const lines = this.#held.map((kept) => JSON.stringify(kept));
    this.#held = undefined;
    return lines.join('\n');
  }

  /** The lines, when all records have been taken. `kept` gives what `take` gave. Columns from number `columns` on are left out. */
  lines(kept: () => AsyncIterable<Kept>, columns?: number): Batched<string> {
    return inBatches(() => this.#lines(this.#held === undefined ? batchesOf(kept()) : [this.#held], columns));
  }

  /** The lines of records of which none was taken: `records` is called twice and must give the same both times. */
  linesOf(records: () => AsyncIterable<Item>, columns?: number): Batched<string> {
    return inBatches(() => this.#linesOf(records, columns));
  }

  async *#linesOf(records: () => AsyncIterable<Item>, columns?: number): AsyncGenerator<readonly string[]> {
    for await (const batch of batchesOf(records())) {
      this.take(batch);
      await setImmediate(); // what is at hand in memory does not keep the event loop waiting
    }
    yield* this.#lines(this.#held === undefined ? this.#again(records()) : [this.#held], columns);
  }

  async *#again(records: AsyncIterable<Item>): AsyncGenerator<readonly Kept[]> {
    for await (const batch of batchesOf(records)) {
      const rows = batch.map(this.#columns.cells);
      yield [[arePlain(JSON.stringify(rows)), rows]];
    }
  }

  async *#lines(
    batches: AsyncIterable<readonly Kept[]> | Iterable<readonly Kept[]>,
    columns?: number,
  ): AsyncGenerator<readonly string[]> {
    const { header, layout = TABLE } = this.#columns;
    const format = new Formatter(this.#widths.slice(0, columns), layout);
    if (header.length > 0) yield format.lines([header], false);
    for await (const batch of batches) for (const [plain, rows] of batch) yield format.lines(rows, plain);
  }
}

/** Makes a text of the result and of the lines of its table; columns from number `columns` on are left out. */
type TextOf<Args, Result> = (
  result: Result,
  lines: (columns?: number) => Batched<string>,
  options: RenderOptions<Args>,
) => Rendered;

/** The two ways to the text of a tool whose records are the rows of a table. */
export function tableText<Args, Result, Item>(
  columnsOf: (options: RenderOptions<Args>) => Columns<Item>,
  textOf: TextOf<Args, Result>,
): Pick<Required<Tool<Args, Result, Item>>, 'text' | 'follow'> {
  return {
    text: (outcome, options) => {
      const table = new RecordTable(columnsOf(options));
      return textOf(outcome.result, (columns) => table.linesOf(() => outcome.records(), columns), options);
    },
    follow: (options) => {
      const table = new RecordTable(columnsOf(options));
      return {
        take: (records) => table.take(records),
        text: (outcome) =>
          textOf(outcome.result, (columns) => table.lines(() => outcome.records() as AsyncIterable<Kept>, columns), options),
      };
    },
  };
}
