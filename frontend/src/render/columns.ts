/** Columns in text: how wide they must be, and the lines that rows of cells become. Pure functions. */
import { remembering } from '@steward/shared/remember.ts';

/** Of one row; none contains a line break. */
export type Cells = readonly string[];

export interface Layout {
  /** Between two columns. */
  readonly gap: string;
  /** Columns aligned to the right; the others to the left. */
  readonly right: readonly boolean[];
  /** What an empty cell is shown as; default: as it is. A column is no less wide than its heading, which must be as long as this. */
  readonly empty?: string;
  /** The last column holds names: blanks at their ends belong to them. */
  readonly endsWithName?: boolean;
}

/** The usual table: everything to the left, two spaces between columns, nothing as `-`. */
export const TABLE: Layout = { gap: '  ', right: [], empty: '-' };

/** Characters as a reader counts them, not UTF-16 units. */
function widthOf(cell: string): number {
  let width = cell.length;
  for (let index = 0; index < cell.length; index += 1) if (cell.charCodeAt(index) >>> 10 === 0x36) width -= 1;
  return width;
}

/** Widens `widths` to what these rows need. `plain`: all of their cells are as wide as they are long. */
export function measure(widths: number[], rows: readonly Cells[], plain: boolean): void {
  for (const cells of rows) {
    const count = cells.length;
    for (let column = 0; column < count; column += 1) {
      const cell = cells[column] ?? '';
      const width = plain ? cell.length : widthOf(cell);
      if (!(width <= (widths[column] ?? -1))) widths[column] = width;
    }
  }
}

/** Columns that are wider are filled by the engine, a cell at a time. */
const FILLED = 64;
const BLANKS: readonly string[] = Array.from({ length: FILLED + 1 }, (_, count) => ' '.repeat(count));
const gapsOf = remembering((gap: string): readonly string[] => BLANKS.map((blanks) => blanks + gap));

/**
 * Makes the lines of rows. What a row has in common with the one before it at its beginning is taken over: tables say the same few
 * things again and again, and every cell that is laid out costs some calls.
 */
export class Formatter {
  readonly #widths: readonly number[];
  readonly #layout: Layout;
  readonly #plain: boolean;
  /** Widths of the columns whose cells are filled up with what is at hand; 0 for the others. */
  readonly #filled: readonly number[];
  /** So many blanks and the gap. */
  readonly #gaps: readonly string[];
  /** The row before, its cells as they stand in the line with the gap behind them, and that line up to and with each column. */
  #last: Cells = [];
  readonly #laid: string[] = [];
  readonly #begun: string[] = [];
  /** Where the last column begins, in a row of which no cell is too wide. */
  readonly #start: number;
  #outgrown = false;

  /** There is a column for each of `widths`; cells beyond are left out. `plain` as for `measure`. */
  constructor(widths: readonly number[], layout: Layout, plain: boolean) {
    this.#widths = widths;
    this.#plain = plain;
    this.#layout = layout;
    this.#filled = widths.map((width) => (plain && width <= FILLED ? width : 0));
    this.#gaps = gapsOf(layout.gap);
    this.#start = widths.length === 0 ? 0 : lineWidth(widths, layout) - (widths.at(-1) ?? 0);
  }

  /** Whether a cell was wider than its column, of plain rows without cells beyond. */
  get isOutgrown(): boolean {
    return this.#outgrown;
  }

  /** Lines without trailing blanks, unless they belong to the last column. */
  lines(rows: readonly Cells[]): string[] {
    // calls and fields cost more than what is done with a cell: one loop with everything at hand
    const [filled, gaps, laid, begun, start] = [this.#filled, this.#gaps, this.#laid, this.#begun, this.#start];
    const { right, gap, endsWithName = false } = this.#layout;
    const last = this.#widths.length - 1;
    const lastWidth = this.#widths[last] ?? 0;
    const lines: string[] = [];
    let before = this.#last;
    for (const cells of rows) {
      const known = begun.length;
      let column = 0;
      while (column < known && cells[column] === before[column]) column += 1;
      let line = column === 0 ? '' : (begun[column - 1] ?? '');
      for (; column < last; column += 1) {
        const cell = cells[column] ?? '';
        if (column >= known || cell !== before[column]) {
          const blanks = (filled[column] ?? 0) - cell.length;
          if (cell === '' || blanks < 0) laid[column] = this.#padded(cell, column) + gap;
          else if (right[column] === true) laid[column] = `${BLANKS[blanks] ?? ''}${cell}${gap}`;
          else laid[column] = `${cell}${gaps[blanks] ?? ''}`;
        }
        line += laid[column] ?? '';
        begun[column] = line;
      }
      const shown = cells[last] ?? '';
      // a cell is never cut: one that is too wide moves what follows
      if (line.length !== start || shown.length > lastWidth) this.#outgrown = true;
      lines.push(endsWithName ? line + shown : this.#ended(line, shown, last));
      before = cells;
    }
    this.#last = before;
    return lines;
  }

  #padded(given: string, column: number): string {
    const cell = given === '' ? (this.#layout.empty ?? '') : given;
    // padding counts UTF-16 units
    const width = (this.#widths[column] ?? 0) + (this.#plain ? 0 : cell.length - widthOf(cell));
    if (cell.length >= width) return cell;
    return this.#layout.right[column] === true ? cell.padStart(width) : cell.padEnd(width);
  }

  /** A line with its last cell, which is no name. */
  #ended(line: string, shown: string, last: number): string {
    const { right, empty = '' } = this.#layout;
    const end = right[last] === true ? this.#padded(shown, last) : shown === '' ? empty : shown;
    return end === '' || end.trimEnd() !== end ? (line + end).trimEnd() : line + end;
  }
}

/** A table that fits in memory, header first; an empty cell is shown as `-`. */
export function table(header: Cells, rows: readonly Cells[]): string {
  return alignedLines([header, ...rows], TABLE).join('\n');
}

/** Lines of rows that fit in memory. */
export function alignedLines(rows: readonly Cells[], layout: Layout): string[] {
  const widths: number[] = [];
  measure(widths, rows, false);
  return new Formatter(widths, layout, false).lines(rows);
}

/**
 * Lines of plain cells that a formatter made for columns of the widths `from`, as one would have made them for `to`, whose columns
 * are no narrower: blanks are put in where a column has grown. Columns that are new are empty.
 */
export function relaid(text: string, from: readonly number[], to: readonly number[], layout: Layout): string {
  const count = Math.min(from.length, to.length);
  const grown = growths(from, to, layout);
  const end = from.length > count ? lineWidth(from.slice(0, count), layout) : Infinity;
  const { gap, right, empty = '' } = layout;
  const more = to
    .slice(count)
    .map((width, index) => gap + (right[count + index] === true ? empty.padStart(width) : empty.padEnd(width)));
  const full = more.length === 0 ? 0 : lineWidth(to.slice(0, count), layout);
  if (grown.length === 0 && end === Infinity && full === 0) return text;
  const lines = text.split('\n').map((made) => {
    let line = made.slice(0, end);
    for (const { at, blanks } of grown) line = line.slice(0, at) + blanks + line.slice(at);
    if (full > 0) line = line.padEnd(full) + more.join('');
    return layout.endsWithName === true ? line : line.trimEnd();
  });
  return lines.join('\n');
}

/** Where blanks go in and how many, from the end of a line to its beginning. */
function growths(from: readonly number[], to: readonly number[], { gap, right }: Layout): { at: number; blanks: string }[] {
  const found: { at: number; blanks: string }[] = [];
  let start = 0;
  for (let column = 0; column < Math.min(from.length, to.length); column += 1) {
    const width = from[column] ?? 0;
    const isLast = column === from.length - 1;
    const more = (to[column] ?? 0) - width;
    const isRight = right[column] === true;
    if (more > 0 && (isRight || !isLast)) found.unshift({ at: isRight ? start : start + width, blanks: ' '.repeat(more) });
    start += width + gap.length;
  }
  return found;
}

function lineWidth(widths: readonly number[], { gap }: Layout): number {
  return widths.reduce((sum, width) => sum + width + gap.length, -gap.length);
}
