/** Proves that documents made piece by piece are what JSON.stringify would have written. */
import assert from 'node:assert/strict';
import { test } from 'node:test';
import { collect, iterate } from '../testing/outcome.ts';
import { arrayOf, jsonDocument, mapOf } from './document.ts';

test('the layout of JSON.stringify', async () => {
  const value = {
    name: 'a "b"\n',
    nested: { list: [1, [], {}], none: null },
    array: [{ a: 1, b: [2] }, 'x', 3],
    map: { '/a': 1, '/b "c"': { d: [4] } },
    empty: [],
    bare: {},
    last: true,
  };
  const text = jsonDocument([
    ['name', value.name],
    ['nested', value.nested],
    ['absent', undefined],
    ['array', arrayOf(iterate(value.array))],
    ['map', mapOf(iterate(Object.entries(value.map)))],
    ['empty', arrayOf(iterate([]))],
    ['bare', mapOf(iterate([]))],
    ['last', value.last],
  ]);
  assert.equal(await collect(text), JSON.stringify(value, null, 2));
  assert.equal(await collect(jsonDocument([['absent', undefined]])), '{}');
});

test('no more held than a piece of text', async () => {
  async function* many(): AsyncGenerator<[string, number]> {
    for (let n = 0; n < 50_000; n += 1) yield await Promise.resolve([`/usr/share/doc/${String(n)}`, n]);
  }
  let largest = 0;
  let whole = 0;
  for await (const piece of jsonDocument([['sizes', mapOf(many())]])) {
    largest = Math.max(largest, piece.length);
    whole += piece.length;
  }
  assert.ok(whole > 1_000_000 && largest < 64 * 1024, `${String(whole)} ${String(largest)}`);
});
