/** Proves that a function with a memory says what it would have said without, and that its memory has an end. */
import assert from 'node:assert/strict';
import { test } from 'node:test';
import { remembering } from './remember.ts';

test('each value is made once while it is remembered, and remembered values are few', () => {
  let made = 0;
  const square = remembering((value: number) => {
    made++;
    return value * value;
  });
  for (let round = 0; round < 3; round++) for (let value = 0; value < 100; value++) assert.equal(square(value), value * value);
  assert.equal(made, 100);
  for (let value = 0; value < 10_000; value++) assert.equal(square(value), value * value);
  assert.equal(square(0), 0);
  assert.ok(made > 10_000, 'it has begun anew');
});
