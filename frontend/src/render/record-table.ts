/**
 * Tables of any length made of records. How wide columns are is known only when all records have been seen; what is kept of them
 * until then is lines for the widths so far, which are made while the operation is still at work. No table is held but a small one.
 */
import { setImmediate } from 'node:timers/promises';
import type { Rendered, RenderOptions, Tool } from '../tools/tool.ts';
import { batchesOf, inBatches, type Batched } from './batches.ts';
import { Formatter, measure, relaid, TABLE, type Cells, type Layout } from './columns.ts';

export interface Columns<Item> {
  /** The first line; none when empty. */
  readonly header: Cells;
  /** Must give the same cells for the same record. */
  readonly cells: (record: Item) => Cells;
  readonly layout?: Layout;
}

/**
 * What is kept of some records: their lines, laid out for columns of these widths; or their rows, where characters take two units of
 * UTF-16 or a cell holds a line break. Widths change seldom after the first records, and lines can be changed to others.
 */
type Kept = readonly [widths: readonly number[], lines: string] | readonly [widths: null, rows: readonly Cells[]];

/** How lines are made now: for columns of `widths`, of which the table may have more (`measured`). */
interface Format {
  readonly formatter: Formatter;
  readonly widths: readonly number[];
  readonly measured: number[];
}

const SURROGATE = /[\ud800-\udfff]/;

/** Characters of a table that is held. */
const HELD = 128 * 1024;

export class RecordTable<Item> {
  readonly #columns: Columns<Item>;
  readonly #layout: Layout;
  #widths: number[] = [];
  /** Cells of the longest row. */
  #count = 0;
  /** For the widths as they are, and for so many columns. */
  #format: Format | undefined;
  #held: Kept[] | undefined = [];
  #size = 0;

  constructor(columns: Columns<Item>) {
    this.#columns = columns;
    this.#layout = columns.layout ?? TABLE;
    measure(this.#widths, [columns.header], false);
  }

  /**
   * Takes records in their order, each once, and gives what must be kept of all that came so far and was not given yet: JSON on one
   * line for each time, or nothing while the table is small.
   */
  take(records: readonly Item[]): string | undefined {
    if (records.length === 0) return undefined;
    const rows = records.map(this.#columns.cells);
    const kept = this.#laidOut(rows);
    if (this.#held === undefined) return JSON.stringify(kept);
    this.#held.push(kept);
    this.#size += kept[0] === null ? rows.join().length : kept[1].length;
    if (this.#size <= HELD) return undefined;
    const lines = this.#held.map((one) => JSON.stringify(one));
    this.#held = undefined;
    return lines.join('\n');
  }

  /** Laid out as if all cells were as wide as they are long, which they mostly are: one look at their lines then shows it. */
  #laidOut(rows: readonly Cells[]): Kept {
    const before = this.#count;
    for (const { length } of rows) if (length > this.#count) this.#count = length;
    if (this.#count > before) this.#format = undefined;
    let format = this.#format;
    let lines = format?.formatter.lines(rows);
    // measuring costs as much as laying out, and widths seldom change: that no cell is too wide shows in the lines
    if (format === undefined || format.formatter.isOutgrown || lines === undefined) {
      format = this.#formatFor(rows);
      lines = format.formatter.lines(rows);
    }
    const text = lines.join('\n');
    const isWide = Buffer.byteLength(text) !== text.length && SURROGATE.test(text);
    if (!isWide && text.split('\n').length === rows.length) {
      this.#widths = format.measured;
      this.#format = format;
      return [format.widths, text];
    }
    measure(this.#widths, rows, false);
    this.#format = undefined;
    return [null, rows];
  }

  /** For the widths so far and those that these rows need. */
  #formatFor(rows: readonly Cells[]): Format {
    const measured = [...this.#widths];
    measure(measured, rows, true);
    const widths = measured.slice(0, this.#count);
    return { formatter: new Formatter(widths, this.#layout, true), widths, measured };
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
    for await (const batch of batchesOf(records)) yield [[null, batch.map(this.#columns.cells)]];
  }

  async *#lines(
    batches: AsyncIterable<readonly Kept[]> | Iterable<readonly Kept[]>,
    columns?: number,
  ): AsyncGenerator<readonly string[]> {
    const widths = this.#widths.slice(0, columns);
    const formatter = new Formatter(widths, this.#layout, false);
    if (this.#columns.header.length > 0) yield formatter.lines([this.#columns.header]);
    for await (const batch of batches) {
      for (const [from, content] of batch) {
        yield from === null ? formatter.lines(content) : [relaid(content, from, widths, this.#layout)];
      }
    }
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
