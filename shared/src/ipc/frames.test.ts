/** The frame decoder against every way in which bytes can arrive and be wrong. */
import assert from 'node:assert/strict';
import { test } from 'node:test';
import { FrameDecoder, ProtocolError, encodeChunk as chunk, encodeCredit, encodeJson, type Frame } from './frames.ts';
import { MAX_CHUNK_BYTES, MAX_JSON_BYTES } from './messages.ts';

function raw(length: number, kind?: number, payload: Uint8Array = Buffer.alloc(0)): Buffer {
  const head = Buffer.alloc(4);
  head.writeUInt32BE(length);
  return Buffer.concat(kind === undefined ? [head] : [head, Buffer.from([kind]), payload]);
}

function json(value: unknown): Buffer {
  const frame = encodeJson(value);
  assert.ok(frame);
  return frame;
}

function decodeAll(pieces: Iterable<Buffer>): Frame[] {
  const decoder = new FrameDecoder();
  const frames: Frame[] = [];
  for (const piece of pieces) decoder.push(piece, (frame) => frames.push(frame));
  return frames;
}

const plain = (frame: Frame): unknown => (frame.kind === 'chunk' ? { ...frame, bytes: frame.bytes.toString('hex') } : frame);

const SESSION = Buffer.concat([
  json({ type: 'hello', text: 'grüß "dich" \\ [' }),
  chunk(7, Buffer.from([0, 1, 2, 255])),
  encodeCredit(7, 65536),
  json([]),
  chunk(0xffff_fffe, Buffer.alloc(MAX_CHUNK_BYTES, 9)),
]);

test('frames survive any division of the stream', () => {
  const whole = decodeAll([SESSION]).map(plain);
  assert.equal(whole.length, 5);
  for (const size of [1, 2, 3, 4, 5, 6, 7, 64, 1000, 65536]) {
    const pieces = [];
    for (let at = 0; at < SESSION.length; at += size) pieces.push(SESSION.subarray(at, at + size));
    assert.deepEqual(decodeAll(pieces).map(plain), whole, `pieces of ${size}`);
  }
});

test('lengths are judged with their fourth byte, before a payload exists', () => {
  for (const length of [0, 1, MAX_JSON_BYTES + 2, 0xffff_ffff]) {
    assert.throws(() => decodeAll([raw(length)]), ProtocolError, String(length));
  }
  assert.doesNotThrow(() => decodeAll([raw(MAX_JSON_BYTES + 1)]));
});

test('kind and length must agree', () => {
  for (let kind = 3; kind < 256; kind += 1) assert.throws(() => decodeAll([raw(9, kind)]), ProtocolError);
  assert.throws(() => decodeAll([raw(1 + 4, 1)]), /kind 1 of 4/);
  assert.throws(() => decodeAll([raw(1 + 4 + MAX_CHUNK_BYTES + 1, 1)]), ProtocolError);
  assert.throws(() => decodeAll([raw(8, 2)]), ProtocolError);
  assert.throws(() => decodeAll([raw(10, 2)]), ProtocolError);
  assert.throws(() => decodeAll([encodeCredit(0, 1)]), /call id 0/);
  assert.throws(() => decodeAll([chunk(0xffff_ffff, Buffer.from('x'))]), /call id/);
});

test('a partial frame is visible as such', () => {
  const decoder = new FrameDecoder();
  const frame = json({ a: 1 });
  assert.equal(decoder.partial, false);
  decoder.push(frame.subarray(0, 7), () => assert.fail('it is not complete'));
  assert.equal(decoder.partial, true);
  let frames = 0;
  decoder.push(frame.subarray(7), () => (frames += 1));
  assert.equal(frames, 1);
  assert.equal(decoder.partial, false);
});

// abuse 6: broker
test('one byte per write costs time in proportion to the bytes', () => {
  const time = (size: number): number => {
    const frame = json('x'.repeat(size - 2));
    const decoder = new FrameDecoder();
    let frames = 0;
    const began = performance.now();
    for (let at = 0; at < frame.length; at += 1) decoder.push(frame.subarray(at, at + 1), () => (frames += 1));
    assert.equal(frames, 1);
    return performance.now() - began;
  };
  time(50_000);
  const small = Math.max(time(MAX_JSON_BYTES / 8), 5);
  const large = time(MAX_JSON_BYTES);
  assert.ok(large < small * 8 * 4, `${small} ms for an eighth, ${large} ms for all`);
});

test('a value beyond the limit is not encoded', () => {
  assert.equal(encodeJson('x'.repeat(MAX_JSON_BYTES - 2))?.length, MAX_JSON_BYTES + 5);
  assert.equal(encodeJson('x'.repeat(MAX_JSON_BYTES - 1)), undefined);
});

/** A small generator with a seed, so that a failure can be repeated (xorshift32). */
function random(seed: number): (below: number) => number {
  let state = seed;
  return (below) => {
    state ^= state << 13;
    state ^= state >>> 17;
    state ^= state << 5;
    return (state >>> 0) % below;
  };
}

test('mutated bytes give frames or a ProtocolError, never anything else', () => {
  const seed = Number(process.env['FUZZ_SEED'] ?? 20261120);
  const next = random(seed);
  let refused = 0;
  for (let round = 0; round < 4000; round += 1) {
    const bytes = Buffer.from(SESSION.subarray(0, 120));
    for (let flips = 1 + next(4); flips > 0; flips -= 1) bytes[next(bytes.length)] = next(256);
    const cut = next(bytes.length);
    try {
      decodeAll([bytes.subarray(0, cut), bytes.subarray(cut)]);
    } catch (error) {
      assert.ok(error instanceof ProtocolError, `seed ${seed}, round ${round}: ${String(error)}`);
      refused += 1;
    }
  }
  assert.ok(refused > 1000, `only ${refused} refused`);
});
