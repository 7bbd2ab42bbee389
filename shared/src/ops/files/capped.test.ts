/** Content up to a cap is the same however it comes, and the buffer that it comes in may be used again. */
import assert from 'node:assert/strict';
import { createHash } from 'node:crypto';
import { test } from 'node:test';
import { CappedOutput } from './capped.ts';

async function sent(content: Buffer, cap: number, step: number) {
  const pieces: Buffer[] = [];
  const output = new CappedOutput((bytes) => Promise.resolve(void pieces.push(Buffer.from(bytes))), cap);
  const buffer = Buffer.alloc(step);
  for (let at = 0; at < content.length; at += step) {
    const filled = content.copy(buffer, 0, at, at + step);
    if (!(await output.add(buffer.subarray(0, filled)))) break;
  }
  const sha256 = await output.finish();
  const bytes = Buffer.concat(pieces);
  assert.equal(output.sent, bytes.length);
  assert.equal(sha256, createHash('sha256').update(bytes).digest('hex'));
  return { bytes, cut: output.cut, pieces: pieces.length };
}

const TEXT = Buffer.from('aé€😀'.repeat(8000));
const BROKEN = Buffer.concat([TEXT.subarray(0, 70_001), Buffer.from([0xe2, 0x82, 0xff, 0x80, 0x80, 0x80, 0x80]), TEXT]);

for (const [name, content] of Object.entries({ 'UTF-8': TEXT, 'bytes that are not': BROKEN })) {
  test(`${name} in pieces of any size, up to any cap`, async () => {
    for (let cap = 70_000; cap < 70_012; cap += 1) {
      const whole = await sent(content, cap, content.length);
      assert.ok(whole.cut && whole.bytes.length > cap - 4 && whole.bytes.length <= cap);
      for (const step of [16_384, 16_385, 30_001, 65_536]) {
        const { bytes, cut } = await sent(content, cap, step);
        assert.deepEqual({ bytes, cut }, { bytes: whole.bytes, cut: true });
      }
    }
    for (const step of [1000, 16_385, 65_536]) {
      const { bytes, cut } = await sent(content, content.length, step);
      assert.deepEqual({ bytes, cut }, { bytes: content, cut: false });
    }
  });
}

test('a small content goes out in one piece, and a large one without a character that is cut in two', async () => {
  assert.equal((await sent(TEXT.subarray(0, 10_000), 20_000, 1000)).pieces, 1);
  const { pieces } = await sent(TEXT, TEXT.length, 16_384);
  assert.equal(pieces, Math.ceil(TEXT.length / 16_384));
});
