/** Tables, names and documents. */
import assert from 'node:assert/strict';
import { test } from 'node:test';
import { documentIn, humanBytes, listIn, nameOf } from './data.ts';
import { printAnswer } from './output.ts';
import { renderTable } from './table.ts';
import { cutTo, widthOf } from './width.ts';
import type { Format } from '../options.ts';

const PLAIN = { wide: false, human: false };
const ROWS = [
  { name: 'a', size: 5, groups: ['x'], none: '', extra: { b: 1 } },
  { name: 'longer', size: 12345, groups: [], none: '', extra: {} },
];

test('numbers to the right, empty columns and lists only when wide', () => {
  assert.equal(renderTable(ROWS, PLAIN), 'NAME     SIZE\na           5\nlonger  12345\n');
  assert.equal(
    renderTable(ROWS, { ...PLAIN, wide: true }),
    'NAME     SIZE  GROUPS  NONE  EXTRA\na           5  x       -     {"b":1}\nlonger  12345  -       -     {}\n',
  );
});

test('a narrow terminal loses columns from the right, never the first', () => {
  assert.equal(renderTable(ROWS, { ...PLAIN, width: 10 }), 'NAME\na\nlonger\n');
  assert.equal(renderTable(ROWS, { ...PLAIN, width: 3 }), 'NAME\na\nlonger\n');
});

test('objects, lists of plain values, the list inside an object, children', () => {
  assert.equal(renderTable({ a: 1, b: { c: [1, 2] } }, PLAIN), 'KEY  VALUE\na    1\nb.c  1,2\n');
  assert.equal(renderTable(['x', 'y\nz'], PLAIN), 'x\ny\\nz\n');
  assert.equal(renderTable({ truncated: false, entries: [{ id: 1 }] }, PLAIN), 'ID\n 1\n');
  const tree = { blockdevices: [{ name: 'vda', children: [{ name: 'vda1', children: [] }] }] };
  assert.deepEqual(listIn(tree)?.map(nameOf), ['vda', 'vda1']);
  assert.equal(renderTable([], PLAIN), '');
});

test('wide characters take two columns, marks none: columns stay in line, and nothing is wider than the terminal', () => {
  assert.deepEqual(['abc', '日本', 'e\u0301', '🗄x', ''].map(widthOf), [3, 4, 1, 3, 0]);
  assert.equal(
    renderTable(
      [
        { name: '日本', size: 1 },
        { name: 'a', size: 22 },
      ],
      PLAIN,
    ),
    'NAME  SIZE\n日本     1\na       22\n',
  );
  assert.deepEqual([cutTo('日本語', 5), cutTo('abcdef', 3), cutTo('日', 1)], ['日本', 'abc', '']);
});

test('titles are bold on a terminal that shows colours, and nothing in a cell can be a colour', () => {
  const out = (isTTY: boolean, colours: boolean) => ({ write: () => true, isTTY, hasColors: () => colours });
  const list = [{ name: 'a\u001b[31m' }];
  assert.equal(renderTable(list, { ...PLAIN, out: out(true, true) }), '\u001b[1mNAME\u001b[0m\na\\x1b[31m\n');
  for (const plain of [out(true, false), out(false, true)])
    assert.equal(renderTable(list, { ...PLAIN, out: plain }), 'NAME\na\\x1b[31m\n');
});

test('large lists are drawn', () => {
  const many = Array.from({ length: 200_000 }, (_none, at) => ({ at }));
  assert.equal(renderTable(many, PLAIN).split('\n').length, 200_002);
});

test('documents: JSON, JSON Lines, anything else is none', () => {
  assert.deepEqual(documentIn('[1]'), { value: [1] });
  assert.deepEqual(documentIn('{"a":1}\n{"a":2}\n'), { value: [{ a: 1 }, { a: 2 }] });
  assert.equal(documentIn('Load Average: 1'), undefined);
  assert.equal(documentIn(''), undefined);
});

test('sizes in human units', () => {
  assert.deepEqual([0, 1023, 1024, 20480, 93847552, 1024 ** 7].map(humanBytes), [
    '0 B',
    '1023 B',
    '1.0 KiB',
    '20.0 KiB',
    '89.5 MiB',
    '1024.0 EiB',
  ]);
});

async function printed(text: string, format: Format, isTTY: boolean, exact = false): Promise<string> {
  let out = '';
  await printAnswer({ write: (piece: string) => (out += piece), isTTY, columns: 80 }, text, { format, human: false, exact });
  return out;
}

test('JSON on a terminal stays JSON and harmless', async () => {
  const out = await printed('{"name":"\u009b31m"}', 'json', true);
  assert.equal(out, '{"name":"\\u009b31m"}\n');
  assert.equal(await printed('{"name":"\u009b31m"}', 'json', false), '{"name":"\u009b31m"}\n');
});

test('content goes to a pipe exactly, renderings end with a newline, nothing stays nothing', async () => {
  assert.equal(await printed('x', 'text', false, true), 'x');
  assert.equal(await printed('x', 'text', true, true), 'x\n');
  assert.equal(await printed('x', 'text', false), 'x\n');
  assert.equal(await printed('', 'text', true), '');
});

test('yaml of names with control characters is harmless on a terminal', async () => {
  const out = await printed('[{"name":"a\\u001b[31m\\u009b"}]', 'yaml', true);
  // eslint-disable-next-line no-control-regex -- control characters are the subject
  assert.doesNotMatch(out, /[\u0000-\u0009\u000b-\u001f\u007f-\u009f]/);
});
