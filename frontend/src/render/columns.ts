/**
 * Tables in text. Widths come from a first pass over the rows and lines from a second, so that a table of any length is made
 * without holding it.
 */
import { setImmediate } from 'node:timers/promises';
import { batchesOf, inBatches, mapped, type Batched } from './batches.ts';

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

/** Whether all cells are ASCII, as wide as they are long: one look for most rows. */
function isPlain(cells: Cells): boolean {
  const all = cells.join('');
  return Buffer.byteLength(all) === all.length;
}

/** Widens `widths` to what these cells need. */
export function measure(widths: number[], cells: Cells): void {
  const plain = isPlain(cells);
  let column = 0;
  for (const cell of cells) {
    const width = plain ? cell.length : widthOf(cell);
    if (!(width <= (widths[column] ?? -1))) widths[column] = width;
    column += 1;
  }
}

/** Rows between two turns of the event loop. */
const ROWS_PER_TURN = 256;

/** What all rows need; empty when there are none. Rows that are at hand in memory do not keep the event loop waiting. */
export async function measureAll(rows: AsyncIterable<Cells>, header: Cells = []): Promise<number[]> {
  const widths: number[] = [];
  measure(widths, header);
  let count = 0;
  for await (const batch of batchesOf(rows)) {
    for (const cells of batch) measure(widths, cells);
    count += batch.length;
    if (count < ROWS_PER_TURN) continue;
    count = 0;
    await setImmediate();
  }
  return widths;
}

/** One line without trailing blanks. */
export function formatRow(cells: Cells, widths: readonly number[], layout: Layout): string {
  const plain = isPlain(cells);
  const padded: string[] = [];
  let column = 0;
  for (const cell of cells) {
    // padding counts UTF-16 units
    const width = (widths[column] ?? 0) + (plain ? 0 : cell.length - widthOf(cell));
    padded.push(layout.right[column] === true ? cell.padStart(width) : cell.padEnd(width));
    column += 1;
  }
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
export function tableLines(header: Cells, rows: () => AsyncIterable<Cells>, layout: Layout = TABLE): Batched<string> {
  return inBatches(async function* () {
    const widths = await measureAll(mapped(rows(), filled), header);
    yield [formatRow(header, widths, layout)];
    for await (const batch of batchesOf(rows())) yield batch.map((cells) => formatRow(filled(cells), widths, layout));
  });
}

function filled(cells: Cells): Cells {
  return cells.includes('') ? cells.map((cell) => (cell === '' ? '-' : cell)) : cells;
}
