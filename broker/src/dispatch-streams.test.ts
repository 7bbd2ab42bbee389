/** Content of a call on its way in and out: uploads are complete before the operation, results travel under credit. */
import assert from 'node:assert/strict';
import { createHash } from 'node:crypto';
import { test } from 'node:test';
import { setTimeout as sleep } from 'node:timers/promises';
import { encodeChunk as chunk, encodeCredit } from '@steward/shared/ipc/frames.ts';
import { done, kinds, row, world, type Work } from '../../test/support/row-world.ts';

test('an upload is complete before the operation, and its size and hash are in the intent', async () => {
  const takes: Work = async (_args, context) => {
    const pieces = [];
    for await (const piece of context.upload?.chunks() ?? []) pieces.push(Buffer.from(piece));
    return Buffer.concat(pieces).toString();
  };
  const it = world([row('up', takes, {}, { upload: 'content' })]);
  const id = it.call('up', { upload_bytes: 5 });
  it.feed(chunk(id, Buffer.from('he')));
  await sleep(10);
  assert.deepEqual(kinds(it), []);
  it.feed(chunk(id, Buffer.from('llo')));
  await sleep(5);
  assert.ok(it.connection.finishIncoming(id));
  assert.equal((await it.answer(id)).value, 'hello');
  assert.deepEqual(it.records[0]?.upload, { size: 5, sha256: createHash('sha256').update('hello').digest('hex') });
  assert.equal((await it.answer(it.call('up', { upload_bytes: 1001 }))).error?.key, 'bad_args');
});

test('an upload that is not as announced is a breach, one that is refused is dropped quietly', async () => {
  const it = world([row('up', done, {}, { upload: 'content' })]);
  const refused = it.call('up', { upload_bytes: 3, capability: 'x' });
  it.feed(chunk(refused, Buffer.from('abc')));
  assert.equal((await it.answer(refused)).error?.key, 'no_session');
  it.feed(chunk(refused, Buffer.from('abc')));
  await sleep(5);
  assert.equal(it.violation, undefined);
  const id = it.call('up', { upload_bytes: 3 });
  it.feed(chunk(id, Buffer.from('abcd')));
  for (let tries = 0; it.violation === undefined && tries < 500; tries += 1) await sleep(2);
  assert.match(it.violation ?? '', /upload of 4 bytes/);
});

// abuse 94: broker
test('records and bytes travel under credit; a reader that gives none ends the call', async () => {
  const pours: Work = async (_args, context) => {
    for (let n = 0; n < 6; n += 1) await context.write(Buffer.alloc(65536, n));
    return 'all';
  };
  const it = world([row('pours', pours, { effect: 'read' }, { kind: 'bytes' })]);
  const id = it.call('pours');
  await sleep(30);
  assert.equal(it.chunks.length, 4);
  it.feed(encodeCredit(id, 2 * 65536));
  assert.equal((await it.answer(id)).value, 'all');
  assert.equal(Buffer.concat(it.chunks).length, 6 * 65536);
  assert.equal((await it.answer(it.call('pours'))).error?.key, 'cancelled');
});
