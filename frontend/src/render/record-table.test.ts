/** Proves that a table says the same however its records came: seen before or not, held or not, in batches or one by one. */
import assert from 'node:assert/strict';
import { test } from 'node:test';
import { collect, iterate } from '../testing/outcome.ts';
import { parsedLines } from './batches.ts';
import { RecordTable } from './record-table.ts';
import { joinLines } from './stream.ts';

type Row = readonly string[];

const HEADER = ['A', 'LONG', 'C', 'D'];
const some: readonly Row[] = [
  ['same', 'same', '1', 'x '],
  ['same', 'same', '2', ''],
  ['same', 'other', '2', ''],
  ['s', '', '', ' y'],
  ['é', '漢😀', '1', 'z'],
  ['é', '漢😀', '10', 'z'],
  ['same', 'same', '1'],
];

/** As it is defined, cell by cell. */
function expected(rows: readonly Row[], columns: number): string {
  const width = (text: string): number => [...text].length;
  const all = [HEADER, ...rows.map((row) => HEADER.map((_, column) => row[column] || '-'))];
  const widths = HEADER.map((_, column) => Math.max(...all.map((row) => width(row[column] ?? ''))));
  const padded = (row: Row): string[] => row.map((cell, column) => cell + ' '.repeat((widths[column] ?? 0) - width(cell)));
  return all.map((row) => padded(row).slice(0, columns).join('  ').trimEnd()).join('\n');
}

function tableOf(): RecordTable<Row> {
  return new RecordTable<Row>({ header: HEADER, cells: (row) => row });
}

test('the same text whether records were taken before or not, and whether they are held or not', async () => {
  const many = Array.from({ length: 20_000 }, (_, index) => [...(some[index % some.length] ?? []).slice(0, 3), String(index)]);
  for (const rows of [[], some, many]) {
    for (const columns of [3, 4]) {
      assert.equal(await collect(joinLines(tableOf().linesOf(() => iterate(rows), columns))), expected(rows, columns));
      const table = tableOf();
      let kept = '';
      for (let at = 0; at < rows.length; at += 100) {
        const lines = table.take(rows.slice(at, at + 100));
        if (lines !== undefined) kept += `${lines}\n`;
      }
      assert.equal(kept === '', rows !== many, 'few are held');
      const lines = table.lines(() => parsedLines(() => iterate([Buffer.from(kept)])), columns);
      assert.equal(await collect(joinLines(lines)), expected(rows, columns));
    }
  }
});
