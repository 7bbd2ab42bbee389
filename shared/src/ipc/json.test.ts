/** What the JSON parser of the socket refuses, and what it lets through. */
import assert from 'node:assert/strict';
import { test } from 'node:test';
import { JsonError, MAX_DEPTH, parseJson, unfit } from './json.ts';

const parse = (text: string): unknown => parseJson(Buffer.from(text));

test('parses what JSON.parse parses', () => {
  for (const text of ['{"a":[1,"x\\"]["]}', '"\\\\"', '"[[[["', '{"\\\\\\"[":1}', '0', 'null']) {
    assert.deepEqual(parse(text), JSON.parse(text));
  }
});

test('refuses invalid UTF-8, a byte order mark and what is not JSON', () => {
  assert.throws(() => parseJson(Buffer.from([0x22, 0xff, 0x22])), JsonError);
  assert.throws(() => parseJson(Buffer.from([0xef, 0xbb, 0xbf, 0x30])), JsonError);
  for (const text of ['', '{', '"', '"\\', '{"a":1,}', '1e', 'undefined']) assert.throws(() => parse(text), JsonError, text);
});

test('refuses nesting beyond the limit without parsing, and counts no bracket inside a string', () => {
  const nested = (depth: number): string => '['.repeat(depth) + ']'.repeat(depth);
  assert.doesNotThrow(() => parse(nested(MAX_DEPTH)));
  assert.throws(() => parse(nested(MAX_DEPTH + 1)), /nested deeper/);
  assert.throws(() => parse('['.repeat(400_000)), /nested deeper/);
  assert.throws(() => parse('{"a":'.repeat(70)), /nested deeper/);
  assert.equal(parse(JSON.stringify('['.repeat(1000))), '['.repeat(1000));
});

test('a message cannot reach a prototype', () => {
  const value = parse('{"__proto__":{"polluted":1},"constructor":2}') as Record<string, unknown>;
  assert.ok(Object.hasOwn(value, '__proto__'));
  assert.equal(({} as Record<string, unknown>)['polluted'], undefined);
  assert.equal(Object.getPrototypeOf(value), Object.prototype);
});

test('finds unfit strings and numbers wherever they are', () => {
  const bounds = { maxString: 8 };
  assert.equal(unfit({ a: ['x', 1.5, -3, null, true, { b: 'é' }] }, bounds), undefined);
  assert.match(unfit({ a: [parse('"\\ud800"')] }, bounds) ?? '', /well-formed/);
  assert.match(unfit(parse('{"\\udc00":1}'), bounds) ?? '', /well-formed/);
  assert.match(unfit(['123456789'], bounds) ?? '', /longer/);
  assert.match(unfit(parse('[9007199254740993]'), bounds) ?? '', /range/);
  assert.match(unfit(parse('1e400'), bounds) ?? '', /range/);
});
