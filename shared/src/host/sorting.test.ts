/** Proves that sorting gives the same in memory and through the temporary file, and gives everything back. */
import assert from 'node:assert/strict';
import { test } from 'node:test';
import { openDescriptors, random } from '../testing/tree.ts';
import { SortBudget, Sorter } from './sorting.ts';

function someStrings(count: number): string[] {
  const next = random(11);
  return Array.from({ length: count }, () =>
    Array.from({ length: Math.floor(next() * 20) }, () => String.fromCharCode(Math.floor(next() * 256))).join(''),
  );
}

for (const descending of [false, true]) {
  test(`runs in a file are merged as in memory (${descending ? 'descending' : 'ascending'})`, () => {
    const before = openDescriptors();
    const strings = someStrings(20_000);
    const budget = new SortBudget(64 * 1024);
    const sorter = new Sorter({ budget, descending });
    for (const text of strings) sorter.add(text);
    assert.ok(sorter.spilled && budget.held <= budget.limit);
    const expected = strings.toSorted();
    assert.deepEqual([...sorter.drain()], descending ? expected.reverse() : expected);
    assert.equal(budget.held, 0);
    assert.equal(openDescriptors(), before);
  });
}

test('strings added many at once are sorted with the others, within the budget and beyond it', () => {
  const strings = someStrings(5000);
  for (const limit of [64 * 1024, 8 * 1024 * 1024]) {
    const budget = new SortBudget(limit);
    const sorter = new Sorter({ budget });
    sorter.addAll(strings.slice(0, 2000));
    sorter.add(strings[2000] ?? '');
    sorter.addAll(strings.slice(2001));
    sorter.addAll([]);
    assert.equal(sorter.spilled, limit < 1024 * 1024);
    const batches = [...sorter.batches()];
    assert.deepEqual(batches.flat(), strings.toSorted());
    assert.equal(budget.held, 0);
  }
});

test('long strings survive the file, and an abandoned drain leaves nothing open', () => {
  const before = openDescriptors();
  const sorter = new Sorter({ budget: new SortBudget(1000) });
  const long = ['b'.repeat(65_535), 'a'.repeat(65_535), '', 'c'];
  for (const text of long) sorter.add(text);
  const drain = sorter.drain();
  assert.equal(drain.next().value, '');
  assert.equal(drain.next().value, 'a'.repeat(65_535));
  drain.return(undefined);
  assert.equal(openDescriptors(), before);
});

test('the runs of one sorter are taken over by another, with what it holds itself', () => {
  const before = openDescriptors();
  const strings = [...someStrings(20_000), 'x'.repeat(65_535)];
  const [one, other] = [new Sorter({ budget: new SortBudget(64 * 1024) }), new Sorter({ budget: new SortBudget() })];
  for (const [index, text] of strings.entries()) (index % 3 === 0 ? other : one).add(text);
  assert.ok(one.spilled && !other.spilled);
  for (const piece of one.pieces()) other.take(structuredClone(piece));
  one.close();
  assert.deepEqual([...other.drain()], strings.toSorted());
  assert.equal(openDescriptors(), before);
});
