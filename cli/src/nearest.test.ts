/** Suggestions. */
import assert from 'node:assert/strict';
import { test } from 'node:test';
import { distance, hint, nearest } from './nearest.ts';

test('distance counts changes and swaps', () => {
  assert.equal(distance('list', 'list'), 0);
  assert.equal(distance('lsit', 'list'), 1);
  assert.equal(distance('lst', 'list'), 1);
  assert.equal(distance('', 'abc'), 3);
});

test('near words only, nearest first', () => {
  assert.deepEqual(nearest('fils', ['files', 'disks', 'network', 'find']), ['files']);
  assert.deepEqual(nearest('net', ['network', 'files']), ['network']);
  assert.deepEqual(nearest('zzzz', ['files']), []);
  assert.equal(hint('zzzz', ['files']), '');
  assert.equal(hint('fils', ['files', 'fills']), ' (did you mean files or fills?)');
});
