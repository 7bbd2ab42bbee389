/**
 * Tables in text. Widths come from a first pass over the rows and lines from a second, so that a table of any length is made
 * without holding it.
 */
import { setImmediate } from 'node:timers/promises';

export type Cells = readonly string[];

export interface Layout {
  /** Between two columns. */
  readonly gap: string;
  /** Columns aligned to the right; the others to the left. */
  readonly right: readonly boolean[];
}

/** The usual table: everything to the left, two spaces between columns. */
export const TABLE: Layout = { gap: '  ', right: [] };

/** Characters as a reader counts them, not UTF-16 units. */
function widthOf(cell: string): number {
  let width = cell.length;
  for (let index = 0; index < cell.length; index += 1) if (cell.charCodeAt(index) >>> 10 === 0x36) width -= 1;
  return width;
}

/** Widens `widths` to what these cells need. */
export function measure(widths: number[], cells: Cells): void {
  cells.forEach((cell, column) => {
    widths[column] = Math.max(widths[column] ?? 0, widthOf(cell));
  });
}

/** Rows between two turns of the event loop. */
const ROWS_PER_TURN = 256;

/** What all rows need; empty when there are none. Rows that are at hand in memory do not keep the event loop waiting. */
export async function measureAll(rows: AsyncIterable<Cells>, header: Cells = []): Promise<number[]> {
  const widths: number[] = [];
  measure(widths, header);
  let count = 0;
  for await (const cells of rows) {
    measure(widths, cells);
    count += 1;
    if (count % ROWS_PER_TURN === 0) await setImmediate();
  }
  return widths;
}

/** One line without trailing blanks. */
export function formatRow(cells: Cells, widths: readonly number[], layout: Layout): string {
  const padded = cells.map((cell, column) => {
    const blanks = ' '.repeat(Math.max(0, (widths[column] ?? 0) - widthOf(cell)));
    return layout.right[column] === true ? blanks + cell : cell + blanks;
  });
  return padded.join(layout.gap).trimEnd();
}

/** A table that fits in memory, header first; an empty cell is shown as `-`. */
export function table(header: Cells, rows: readonly Cells[], layout: Layout = TABLE): string {
  const widths: number[] = [];
  const lines = [header, ...rows.map(filled)];
  for (const cells of lines) measure(widths, cells);
  return lines.map((cells) => formatRow(cells, widths, layout)).join('\n');
}

/** The lines of a table of any length. `rows` is called twice and must give the same rows both times. */
export async function* tableLines(
  header: Cells,
  rows: () => AsyncIterable<Cells>,
  layout: Layout = TABLE,
): AsyncGenerator<string> {
  const widths = await measureAll(mapped(rows(), filled), header);
  yield formatRow(header, widths, layout);
  for await (const cells of rows()) yield formatRow(filled(cells), widths, layout);
}

/** The items changed one by one. */
export async function* mapped<From, To>(items: AsyncIterable<From>, change: (item: From) => To): AsyncGenerator<To> {
  for await (const item of items) yield change(item);
}

function filled(cells: Cells): Cells {
  return cells.map((cell) => (cell === '' ? '-' : cell));
}
