/** Tables for people: padded columns, numbers to the right. Every cell is one line of harmless text. */
import { cellText, flatten, humanBytes, isSize, listIn } from './data.ts';
import { isObject } from '../grammar/argument.ts';
import { painted } from './colour.ts';
import { widthOf } from './width.ts';
import type { Output } from '../io.ts';
import { oneCell } from '../safety.ts';

export interface TableOptions {
  /** Every column, lists and objects too; else only plain values, and only as many as fit. */
  readonly wide: boolean;
  readonly human: boolean;
  /** Width of the terminal in columns; undefined: any width. */
  readonly width?: number | undefined;
  /** Where it is written, for the colour of its titles. */
  readonly out?: Output;
}

interface Column {
  readonly title: string;
  readonly cells: readonly string[];
  readonly right: boolean;
  readonly width: number;
}

function column(key: string, values: readonly unknown[], human: boolean): Column {
  const sized = human && isSize(key);
  const cells = values.map((value) => oneCell(sized && typeof value === 'number' ? humanBytes(value) : cellText(value)) || '-');
  const title = oneCell(key.toUpperCase());
  const right = values.length > 0 && values.every((value) => typeof value === 'number' || value === null || value === undefined);
  const width = cells.reduce((widest, cell) => Math.max(widest, widthOf(cell)), widthOf(title));
  return { title, cells, right, width };
}

function pad(text: string, { width, right }: Column): string {
  const blanks = ' '.repeat(width - widthOf(text));
  return right ? blanks + text : text + blanks;
}

/** Columns that fit; the first always stays. */
function fitting(columns: readonly Column[], width: number | undefined): readonly Column[] {
  if (width === undefined) return columns;
  let used = 0;
  const end = columns.findIndex((one) => (used += one.width + 2) - 2 > width);
  return end < 0 ? columns : columns.slice(0, Math.max(1, end));
}

function draw(columns: readonly Column[], rows: number, out: Output | undefined): string {
  const line = (cellOf: (one: Column) => string): string =>
    columns
      .map((one) => pad(cellOf(one), one))
      .join('  ')
      .trimEnd();
  const titles = line(({ title }) => title);
  const lines = [out === undefined ? titles : painted(out, 'bold', titles)];
  for (let row = 0; row < rows; row += 1) lines.push(line(({ cells }) => cells[row] ?? '-'));
  return `${lines.join('\n')}\n`;
}

/** Draws rows under given titles. `out`: where it is written, for the colour of the titles. */
export function drawTable(titles: readonly string[], rows: readonly (readonly unknown[])[], out?: Output): string {
  const columns = titles.map((title, at) =>
    column(
      title,
      rows.map((row) => row[at]),
      false,
    ),
  );
  return draw(columns, rows.length, out);
}

function plain(value: unknown): boolean {
  return typeof value !== 'object' || value === null;
}

function listTable(items: readonly unknown[], options: TableOptions): string {
  const rows = items.filter(isObject);
  const keys = [...new Set(rows.flatMap((row) => Object.keys(row)))];
  const shown = keys.filter((key) => {
    const values = rows.map((row) => row[key]);
    return options.wide || (values.every(plain) && values.some((value) => cellText(value) !== ''));
  });
  const columns = shown.map((key) =>
    column(
      key,
      rows.map((row) => row[key]),
      options.human,
    ),
  );
  return draw(options.wide ? columns : fitting(columns, options.width), rows.length, options.out);
}

/** Any JSON document as a table: a list of objects by rows, an object by its members, a list of plain values by lines. */
export function renderTable(value: unknown, options: TableOptions): string {
  const list = listIn(value);
  if (list?.some(isObject) === true) return listTable(list, options);
  if (list !== undefined) return list.map((item) => `${oneCell(cellText(item))}\n`).join('');
  if (!isObject(value)) return `${oneCell(cellText(value))}\n`;
  const rows = flatten(value).map(([key, member]) => [
    key,
    options.human && isSize(key) && typeof member === 'number' ? humanBytes(member) : cellText(member),
  ]);
  return drawTable(['key', 'value'], rows, options.out);
}
