/** The list that worker threads read is the list of what runs in them. */
import assert from 'node:assert/strict';
import { test } from 'node:test';
import { WORKER_OPERATIONS } from './in-workers.ts';
import { OPERATIONS } from './index.ts';

test('worker threads know every operation that may run in one, and no other', () => {
  const listed = WORKER_OPERATIONS.map(({ name }) => name);
  const declared = OPERATIONS.flatMap(({ name, where }) => (where === 'loop' ? [] : [name]));
  assert.deepEqual(listed.toSorted(), declared.toSorted());
});
