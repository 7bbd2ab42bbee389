/** The gauge against texts cut at every place. */
import assert from 'node:assert/strict';
import { test } from 'node:test';
import { JsonGauge, MAX_DEPTH, MAX_VALUES } from './gauge.ts';

function judge(text: string, piece = text.length): boolean {
  const bytes = Buffer.from(text);
  const gauge = new JsonGauge();
  for (let at = 0; at < bytes.length; at += piece) gauge.push(bytes.subarray(at, at + piece));
  return gauge.tooMuch;
}

const nested = (depth: number): string => '['.repeat(depth) + ']'.repeat(depth);

test('nesting up to the bound passes, one more does not', () => {
  assert.equal(judge(nested(MAX_DEPTH)), false);
  assert.equal(judge(nested(MAX_DEPTH + 1)), true);
  assert.equal(judge('{"a":'.repeat(10_000)), true);
});

test('brackets inside strings do not count, wherever the text is cut', () => {
  const texts = [`["${'['.repeat(100)}"]`, `["\\"${'{'.repeat(100)}","\\\\"]`, `{"a\\\\\\"":"${'['.repeat(100)}"}`];
  for (const text of texts) {
    for (const piece of [1, 2, 3, 5, 7, text.length]) assert.equal(judge(text, piece), false, `${text} by ${piece}`);
  }
});

test('brackets after a string that ends in escaped backslashes do count', () => {
  const text = `["a\\\\",${'['.repeat(MAX_DEPTH)}`;
  for (const piece of [1, 2, 3, 4, 5, 6, text.length]) assert.equal(judge(text, piece), true, `by ${piece}`);
});

test('a flat document with too many values is refused', () => {
  assert.equal(judge(`[${'1,'.repeat(MAX_VALUES - 2)}1]`), false);
  assert.equal(judge(`[${'1,'.repeat(MAX_VALUES)}1]`), true);
});
