/** Proves the small parts that texts are made of: escapes, sizes, dates, columns, streams, JSON. */
import assert from 'node:assert/strict';
import { test } from 'node:test';
import { collect, iterate } from '../testing/outcome.ts';
import { alignedLines, measure, table, type Cells } from './columns.ts';
import { listingDate } from './dates.ts';
import { jsonArray, jsonText } from './json.ts';
import { escapeName } from './names.ts';
import { RecordTable } from './record-table.ts';
import { reloadText } from './reload.ts';
import { sizeAsLs, sizeWithUnit } from './sizes.ts';
import { decoded, inPieces, joinLines } from './stream.ts';

test('control characters in names become visible', () => {
  assert.equal(escapeName('a\nb\rc\td'), 'a\\nb\\rc\\td');
  assert.equal(escapeName('\0\x1b[31m\x7f\x9f'), '\\x00\\x1b[31m\\x7f\\x9f');
  assert.equal(escapeName('Grüße "x" \\n \u00a0\ufffd 漢'), 'Grüße "x" \\n \u00a0\ufffd 漢');
  for (const length of [0, 1, 31, 32, 33, 400]) {
    for (let code = 0; code < 0x180; code++) {
      const char = String.fromCharCode(code);
      const isControl = code < 0x20 || (code >= 0x7f && code < 0xa0);
      const escaped = escapeName(char);
      assert.equal(escaped === char, !isControl, String(code));
      for (const [before, behind] of [
        ['n'.repeat(length), ''],
        ['', 'n'.repeat(length)],
      ] as const) {
        assert.equal(escapeName(before + char + behind), before + escaped + behind, `${code} with ${length}`);
      }
    }
  }
});

test('sizes as ls writes them', () => {
  const expected: [number, string][] = [
    [0, '0'], [987, '987'], [1023, '1023'], [1024, '1.0K'], [1025, '1.1K'], [4096, '4.0K'], [10137, '9.9K'], [10138, '10K'],
    [10240, '10K'], [10241, '11K'], [12288, '12K'], [1047552, '1023K'], [1047553, '1.0M'], [1048575, '1.0M'], [1048576, '1.0M'],
    [1073741824, '1.0G'], [5 * 1024 ** 4, '5.0T'], [1024 ** 5, '1.0P'], [2 ** 53, '8.0P'],
  ]; // prettier-ignore
  for (const [bytes, text] of expected) assert.equal(sizeAsLs(bytes), text, String(bytes));
});

test('sizes with their unit', () => {
  const expected: [number, string][] = [
    [0, '0 B'], [512, '512 B'], [1023, '1023 B'], [1024, '1.0 KiB'], [20480, '20.0 KiB'], [93847552, '89.5 MiB'],
    [1048524, '1023.9 KiB'], [1048525, '1.0 MiB'], [1048576, '1.0 MiB'], [1024 ** 3, '1.0 GiB'],
  ]; // prettier-ignore
  for (const [bytes, text] of expected) assert.equal(sizeWithUnit(bytes), text, String(bytes));
});

test('dates of listings', () => {
  const now = new Date(2026, 10, 20, 12, 0, 0).getTime();
  assert.equal(listingDate('2026-11-20 11:33:02', now), 'Nov 20 11:33');
  assert.equal(listingDate('2026-11-02 01:05:00', now), 'Nov  2 01:05');
  assert.equal(listingDate('2026-11-20 12:59:59', now), 'Nov 20 12:59');
  assert.equal(listingDate('2026-11-20 13:00:01', now), 'Nov 20  2026');
  assert.equal(listingDate('2026-05-22 12:00:00', now), 'May 22 12:00');
  assert.equal(listingDate('2026-05-20 12:00:00', now), 'May 20  2026');
  assert.equal(listingDate('2025-01-02 00:00:00', now), 'Jan  2  2025');
  assert.equal(listingDate('', now), '');
});

test('columns: widest cell, no trailing blanks, a dash for nothing', async () => {
  const header = ['NAME', 'SIZE', 'X'];
  const rows = [['a', '12345', ''], ['longer', '', 'é😀']]; // prettier-ignore
  const expected = 'NAME    SIZE   X\na       12345  -\nlonger  -      é😀';
  assert.equal(table(header, rows), expected);
  const lines = new RecordTable<Cells>({ header, cells: (row) => row }).linesOf(() => iterate(rows));
  assert.equal(await collect(joinLines(lines)), expected);
  assert.equal(table(header, []), 'NAME  SIZE  X');
});

test('columns to the right, and characters outside the basic plane', () => {
  const widths: number[] = [];
  const rows = [['😀', '1'], ['a', '100'], ['a', '7']]; // prettier-ignore
  measure(widths, rows, false);
  assert.deepEqual(widths, [1, 3]);
  assert.deepEqual(alignedLines(rows, { gap: ' ', right: [false, true] }), ['😀   1', 'a 100', 'a   7']);
});

test('JSON of records is what JSON.stringify writes', async () => {
  const records = [{ name: 'a\n"b"', list: [1, { x: null }], empty: [], none: {} }, { name: '  \n  ' }, {}, 7, 'x', [1]];
  for (let count = 0; count <= records.length; count += 1) {
    const some = records.slice(0, count);
    assert.equal(await collect(jsonArray(iterate(some))), JSON.stringify(some, null, 2));
  }
  assert.equal(jsonText({ a: [1] }), '{\n  "a": [\n    1\n  ]\n}');
});

test('pieces are neither tiny nor large', async () => {
  const pieces: string[] = [];
  for await (const piece of inPieces(iterate(Array<string>(10_000).fill('0123456789')))) pieces.push(piece);
  assert.equal(pieces.join('').length, 100_000);
  assert.ok(pieces.length >= 2 && pieces.length <= 10, String(pieces.length));
});

test('lines have no newline at the end', async () => {
  assert.equal(await collect(joinLines(iterate(['a', '', 'b']))), 'a\n\nb');
  assert.equal(await collect(joinLines(iterate<string>([]))), '');
});

test('bytes become text across pieces', async () => {
  const bytes = Buffer.from('\ufeffä😀');
  const split = [...bytes].map((byte) => Uint8Array.of(byte));
  assert.equal(await collect(decoded(iterate(split))), '\ufeffä😀');
  assert.equal(await collect(decoded(iterate([Uint8Array.of(0x61, 0xff, 0xc3)]))), 'a\ufffd\ufffd');
});

test('the report of a reload', () => {
  const files = ['/c/daemon.yaml', '/c/users.yaml', '/c/grants.yaml'];
  const full = {
    files,
    changes: ['user alice: added', 'grants bob: - disks/usage'],
    closed_sessions: 1,
    needs_restart: ['daemon: server.listen [a] -> [b]'],
  };
  assert.equal(
    reloadText(full),
    `Reloaded /c/daemon.yaml, /c/users.yaml and /c/grants.yaml.
Changes:
  user alice: added
  grants bob: - disks/usage
Closed 1 session(s) of removed users or withdrawn tokens.
Needs a restart (not applied):
  daemon: server.listen [a] -> [b]`,
  );
  const none = { files, changes: [], closed_sessions: 0, needs_restart: [] };
  assert.equal(reloadText(none), 'Reloaded /c/daemon.yaml, /c/users.yaml and /c/grants.yaml.\nNo changes.');
  assert.equal(
    reloadText({ ...full, changes: ['x: y\n'], needs_restart: [] }, true),
    `Dry run: would reload /c/daemon.yaml, /c/users.yaml and /c/grants.yaml.
Changes:
  x: y\\n
Would close 1 session(s) of removed users or withdrawn tokens.`,
  );
});
