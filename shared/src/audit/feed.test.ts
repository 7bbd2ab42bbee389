/** The feed: every record once and in order, from any number on that is still held; who falls behind is told. */
import assert from 'node:assert/strict';
import { test } from 'node:test';
import { AuditFeed, type FedRecord } from './feed.ts';
import { failsWith } from '../testing/context.ts';

const record = (seq: number, size = 10): FedRecord => ({ seq, kind: 'intent', line: 'x'.repeat(size) });

async function take(from: AsyncIterable<FedRecord>, count: number): Promise<number[]> {
  const seen: number[] = [];
  for await (const { seq } of from) if (seen.push(seq) === count) break;
  return seen;
}

test('a reader gets what comes, and what it missed', async () => {
  const feed = new AuditFeed();
  const stop = new AbortController();
  feed.add([record(1), record(2)]);
  const now = take(feed.from(undefined, stop.signal), 2);
  const missed = take(feed.from(1, stop.signal), 3);
  const early = take(feed.from(0, stop.signal), 4);
  feed.add([record(3)]);
  await new Promise(setImmediate);
  feed.add([record(4)]);
  assert.deepEqual(await Promise.all([now, missed, early]), [
    [3, 4],
    [2, 3, 4],
    [1, 2, 3, 4],
  ]);
});

test('it ends when it is stopped, and when everybody must be asked again', async () => {
  const feed = new AuditFeed();
  const stop = new AbortController();
  const stopped = take(feed.from(undefined, stop.signal), 9);
  const interrupted = take(feed.from(undefined, new AbortController().signal), 9);
  feed.add([record(1)]);
  await new Promise(setImmediate);
  stop.abort();
  assert.deepEqual(await stopped, [1]);
  feed.interrupt();
  assert.deepEqual(await interrupted, [1]);
});

test('memory is bounded, and a reader that does not keep up loses its place', async () => {
  const feed = new AuditFeed();
  const { signal } = new AbortController();
  feed.add([record(1)]);
  const slow = feed.from(0, signal);
  const first = (await slow.next()) as IteratorYieldResult<FedRecord>;
  assert.equal(first.value.seq, 1);
  for (let seq = 2; seq < 100; seq += 1) feed.add([record(seq, 100_000)]);
  await assert.rejects(slow.next(), failsWith('busy'));
  // Somebody who comes back after a while begins with what is still there.
  assert.deepEqual(await take(feed.from(5, signal), 3), [90, 91, 92]);
});
