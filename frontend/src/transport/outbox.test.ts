/** Answers to one reader: none is forgotten, whenever it comes. */
import assert from 'node:assert/strict';
import { test } from 'node:test';
import { Outbox } from './outbox.ts';

test('an answer that is sent because the one before was released goes out too', { timeout: 60_000 }, async () => {
  const written: unknown[] = [];
  const outbox = new Outbox({
    write: ({ node }) => Promise.resolve(void written.push(node)),
    failed: (reason) => assert.fail(reason),
  });
  for (let node = 0; node < 5; node += 1) await new Promise<void>((release) => outbox.send({ node, weight: 1, release }));
  assert.deepEqual(written, [0, 1, 2, 3, 4]);
  await outbox.emptied();
  assert.equal(outbox.bytes, 0);
});
