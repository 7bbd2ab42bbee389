/** Proves that taking items many at a time gives the same items, whatever the pieces they arrive in. */
import assert from 'node:assert/strict';
import { test } from 'node:test';
import { iterate } from '../testing/outcome.ts';
import { batchesOf, LineReader, mapped, parsedLines, preceded } from './batches.ts';

const RECORDS = [{ name: 'plain' }, { name: 'new\nline, "quoted"' }, { name: 'é😀\u2028' }, { list: [1, [2]] }, {}];
const LINES = Buffer.from(RECORDS.map((record) => `${JSON.stringify(record)}\n`).join(''));

function pieces(size: number, bytes: Uint8Array = LINES): () => AsyncIterable<Uint8Array> {
  const parts: Uint8Array[] = [];
  for (let at = 0; at < bytes.length; at += size) parts.push(bytes.subarray(at, at + size));
  return () => iterate(parts);
}

test('JSON lines are the same records wherever the pieces end, and again', async () => {
  for (const size of [1, 2, 3, 7, 16, 1000]) {
    const records = parsedLines(pieces(size));
    assert.deepEqual(await Array.fromAsync(records), RECORDS, String(size));
    assert.deepEqual((await Array.fromAsync(records.batches())).flat(), RECORDS, String(size));
  }
  assert.deepEqual(await Array.fromAsync(parsedLines(pieces(5, Buffer.alloc(0)))), []);
  assert.deepEqual(await Array.fromAsync(parsedLines(pieces(4, Buffer.from('{"a":1}\n[2]')))), [{ a: 1 }, [2]]);
  await assert.rejects(Array.fromAsync(parsedLines(pieces(9, Buffer.from('{"a":1}\n{"b"')))));
});

test('a piece may be used again once it was taken, and a line may come in many', () => {
  const reader = new LineReader();
  const buffer = Buffer.alloc(5);
  const records: unknown[] = [];
  for (let at = 0; at < LINES.length; at += buffer.length) {
    const piece = buffer.subarray(0, LINES.copy(buffer, 0, at, at + buffer.length));
    records.push(...reader.take(piece));
    buffer.fill(0);
  }
  assert.deepEqual([...records, ...reader.end()], RECORDS);
});

test('what is done to them keeps number and order, for streams with batches and without', async () => {
  const double = (value: number): number => value * 2;
  const numbers = (): AsyncIterable<number> => parsedLines<number>(pieces(3, Buffer.from('1\n2\n3\n4\n')));
  for (const items of [iterate([1, 2, 3, 4]), numbers()]) {
    assert.deepEqual(await Array.fromAsync(preceded([0], mapped(items, double))), [0, 2, 4, 6, 8]);
  }
  assert.deepEqual(await Array.fromAsync(batchesOf(iterate([7, 8]))), [[7], [8]]);
  assert.deepEqual((await Array.fromAsync(batchesOf(mapped(numbers(), double)))).flat(), [2, 4, 6, 8]);
});
