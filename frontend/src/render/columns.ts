/** Columns in text: how wide they must be, and the lines that rows of cells become. Pure functions. */

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

/** Whether all cells are ASCII, as wide as they are long: one look for many rows, at their JSON. */
export function arePlain(json: string): boolean {
  return Buffer.byteLength(json) === json.length && !json.includes('\\ud');
}

/** Widens `widths` to what these rows need; `plain` as `arePlain` says. */
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

/**
 * Makes the lines of rows. What a row has in common with the one before it at its beginning is taken over: tables say the same few
 * things again and again, and every cell that is laid out costs some calls.
 */
export class Formatter {
  readonly #widths: readonly number[];
  readonly #layout: Layout;
  /** The row before, and its line up to and with each column. */
  #last: Cells = [];
  readonly #begun: string[] = [];

  /** There is a column for each of `widths`; cells beyond are left out. */
  constructor(widths: readonly number[], layout: Layout) {
    this.#widths = widths;
    this.#layout = layout;
  }

  /** Lines without trailing blanks, unless they belong to the last column. `plain` as `arePlain` says. */
  lines(rows: readonly Cells[], plain: boolean): string[] {
    const lines: string[] = [];
    for (const cells of rows) lines.push(this.#line(cells, plain));
    return lines;
  }

  #line(cells: Cells, plain: boolean): string {
    const begun = this.#begun;
    const before = this.#last;
    const last = this.#widths.length - 1;
    let column = 0;
    while (column < begun.length && cells[column] === before[column]) column += 1;
    let line = begun[column - 1] ?? '';
    for (; column < last; column += 1) {
      line += this.#padded(cells[column], column, plain) + this.#layout.gap;
      begun[column] = line;
    }
    this.#last = cells;
    if (this.#layout.endsWithName === true) return line + (cells[last] ?? '');
    return (line + this.#padded(cells[last], last, plain)).trimEnd();
  }

  #padded(given: string | undefined, column: number, plain: boolean): string {
    const { empty = '', right } = this.#layout;
    const cell = given === undefined || given === '' ? empty : given;
    // padding counts UTF-16 units
    const width = (this.#widths[column] ?? 0) + (plain ? 0 : cell.length - widthOf(cell));
    if (cell.length >= width) return cell;
    return right[column] === true ? cell.padStart(width) : cell.padEnd(width);
  }
}

/** A table that fits in memory, header first; an empty cell is shown as `-`. */
export function table(header: Cells, rows: readonly Cells[]): string {
  return alignedLines([header, ...rows], TABLE).join('\n');
}

/** Lines of rows that fit in memory. */
export function alignedLines(rows: readonly Cells[], layout: Layout): string[] {
  const widths: number[] = [];
  const plain = arePlain(JSON.stringify(rows));
  measure(widths, rows, plain);
  return new Formatter(widths, layout).lines(rows, plain);
}
