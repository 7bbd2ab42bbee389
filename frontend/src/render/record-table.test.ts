/** Proves that a table says the same however its records came: taken before or not, held or not, whenever a column has grown. */
import assert from 'node:assert/strict';
import { test } from 'node:test';
import { random } from '@steward/shared/testing/tree.ts';
import { collect, iterate } from '../testing/outcome.ts';
import { parsedLines } from './batches.ts';
import { TABLE, type Layout } from './columns.ts';
import { RecordTable } from './record-table.ts';
import { joinLines } from './stream.ts';

type Row = readonly string[];

const HEADER = ['A', 'LONG', 'C', 'D'];
const SOME: readonly Row[] = [
  ['same', 'same', '1', 'x '],
  ['same', 'same', '2', ''],
  ['same', 'other', '2', ''],
  ['s', '', '', ' y'],
  ['é', '漢', '1', 'z'],
  ['é', '漢😀', '10', 'z'],
  ['same', 'same', '1'],
];
/** Columns around the width from which on cells are filled up another way. */
const WIDE: readonly Row[] = [63, 64, 65, 1, 0, 200].map((width) => ['x'.repeat(width), 'y', 'z'.repeat(64), 'v'.repeat(width)]);
const LISTING: Layout = { gap: ' ', right: [false, true, true], endsWithName: true };
const RIGHT: Layout = { gap: '|', right: [true, false, true, true], empty: '-' };

/** As it is defined, cell by cell. */
function expected(rows: readonly Row[], columns: number, { gap, right, empty = '', endsWithName }: Layout): string {
  const width = (text: string): number => [...text].length;
  const all = [HEADER, ...rows].map((row) => HEADER.slice(0, columns).map((_, column) => row[column] || empty));
  const widths = HEADER.map((_, column) => Math.max(...all.map((row) => width(row[column] ?? ''))));
  const padded = (cell: string, column: number): string => {
    const blanks = ' '.repeat((widths[column] ?? 0) - width(cell));
    if (endsWithName === true && column === HEADER.length - 1) return cell;
    return right[column] === true ? blanks + cell : cell + blanks;
  };
  const lines = all.map((row) => row.map(padded).join(gap));
  return (endsWithName === true ? lines : lines.map((line) => line.trimEnd())).join('\n');
}

const tableOf = (layout: Layout): RecordTable<Row> => new RecordTable<Row>({ header: HEADER, cells: (row) => row, layout });

/** As a call does it: records are taken some at a time, and what is given is kept. */
async function taken(rows: readonly Row[], columns: number, layout: Layout): Promise<{ text: string; kept: string }> {
  const table = tableOf(layout);
  let kept = '';
  for (let at = 0; at < rows.length; at += 100) {
    const lines = table.take(rows.slice(at, at + 100));
    if (lines !== undefined) kept += `${lines}\n`;
  }
  const lines = table.lines(() => parsedLines(() => iterate([Buffer.from(kept)])), columns);
  return { text: await collect(joinLines(lines)), kept };
}

/** Cells that grow in the middle of the table, here and there with something that is no ASCII. */
function growing(count: number, seed: number, last: number): Row[] {
  const next = random(seed);
  const cell = (most: number): string => 'abc d'.repeat(10).slice(0, Math.floor(next() * most));
  return Array.from({ length: count }, (_, index) => {
    const strange = index % 970 === 969 ? (index % 2 === 0 ? '😀' : 'é') : '';
    const size = index < 2000 ? 3 : index < 4000 ? 9 : 40;
    return [cell(2), cell(size) + strange, String(index % 300), cell(size), 'z'].slice(0, index < 3000 ? last : 4);
  });
}

test('the same text whether records were taken before or not, and whether they are held or not', async () => {
  const many = growing(12_000, 5, 4);
  for (const layout of [TABLE, RIGHT, LISTING]) {
    for (const rows of [[], SOME, WIDE, WIDE.slice(0, 2), WIDE.slice(0, 1), many]) {
      const unseen = tableOf(layout).linesOf(() => iterate(rows));
      assert.equal(await collect(joinLines(unseen)), expected(rows, 4, layout));
      const { text, kept } = await taken(rows, 4, layout);
      assert.equal(text, expected(rows, 4, layout));
      assert.equal(kept === '', rows !== many, 'few are held');
    }
  }
});

test('columns that are left out, and columns that only later rows have', async () => {
  for (const rows of [SOME, growing(12_000, 6, 3), growing(12_000, 7, 2), growing(2000, 8, 3)]) {
    for (const columns of [1, 2, 3, 4]) {
      for (const layout of [TABLE, RIGHT]) {
        const { text } = await taken(rows, columns, layout);
        assert.equal(text, expected(rows, columns, layout), String(columns));
      }
    }
  }
});

test('a line break in a cell moves nothing but the line that it breaks', async () => {
  const rows = Array.from({ length: 20_000 }, (_, index): Row => {
    const second = index === 19_000 ? 'much wider' : 'same';
    return [index === 50 ? 'broken\nline' : 'x', second, String(index), 'end'];
  });
  assert.equal((await taken(rows, 4, TABLE)).text, expected(rows, 4, TABLE));
});
