/** Proves which bytes are kept, and that what is held stays near the limit. */
import assert from 'node:assert/strict';
import { test } from 'node:test';
import { CappedBytes } from './capped-bytes.ts';

function fill(kept: CappedBytes, pieces: readonly string[]): { text: string; told: number } {
  const told = pieces.filter((piece) => kept.add(Buffer.from(piece))).length;
  return { text: kept.bytes.toString(), told };
}

test('the first bytes, and said once that there were more', () => {
  assert.deepEqual(fill(new CappedBytes(5), ['ab', 'cde']), { text: 'abcde', told: 0 });
  assert.deepEqual(fill(new CappedBytes(5), ['ab', 'cdef', 'g', 'h']), { text: 'abcde', told: 1 });
});

test('the last bytes', () => {
  const kept = new CappedBytes(5, true);
  assert.deepEqual(fill(kept, ['ab', 'cde']), { text: 'abcde', told: 0 });
  assert.equal(kept.truncated, false);
  assert.deepEqual(fill(kept, ['fg', 'h']), { text: 'defgh', told: 1 });
  assert.equal(kept.truncated, true);
  assert.deepEqual(fill(kept, ['0123456789']), { text: '56789', told: 0 });
});
