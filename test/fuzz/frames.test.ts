/**
 * Bytes that no frontend of ours sends: whole sessions with a few bytes changed, as the broker's decoder and its judge of messages
 * see them. Whatever comes, there is a message that fits its schema, or the one error that ends the connection; nothing is kept.
 */
import assert from 'node:assert/strict';
import { test } from 'node:test';
import { messages } from '@steward/shared/generated/validators.js';
import { checkMessage } from '@steward/shared/ipc/check.ts';
import { FrameDecoder, ProtocolError, type Frame } from '@steward/shared/ipc/frames.ts';
import { MAX_CHUNK_BYTES, MAX_ID } from '@steward/shared/ipc/messages.ts';
import { OPERATIONS } from '@steward/shared/ops/index.ts';
import { fits } from '../support/fuzz/fits.ts';
import { FRONTEND_MESSAGES } from '@steward/shared/ipc/messages.ts';
import { fuzz } from '../support/fuzz/fuzz.ts';
import type { Random } from '../support/fuzz/random.ts';
import { mutated, sessionFrames } from '../support/fuzz/sessions.ts';

const FRAMES = OPERATIONS.map((op, index) => sessionFrames(op, 2 * index + 1));

/** One to three frames that follow one another, damaged. */
function damaged(random: Random): Buffer {
  const frames = random.pick(FRAMES);
  const first = random.below(frames.length);
  return mutated(Buffer.concat(frames.slice(first, first + 1 + random.below(3))), random);
}

/** The stream as the kernel may hand it over: in one piece or in several. */
function* pieces(bytes: Buffer, random: Random): Generator<Buffer> {
  const size = random.once(2) ? bytes.length : 1 + random.below(bytes.length);
  for (let at = 0; at < bytes.length; at += size) yield bytes.subarray(at, at + size);
}

function judge(frame: Frame): void {
  if (frame.kind === 'json') {
    const message = checkMessage(frame.value, messages);
    assert.ok(fits(FRONTEND_MESSAGES[message.type], message), `accepted: ${JSON.stringify(message)}`);
  } else {
    assert.ok(Number.isInteger(frame.id) && frame.id > 0 && frame.id <= MAX_ID);
    if (frame.kind === 'chunk') assert.ok(frame.bytes.length > 0 && frame.bytes.length <= MAX_CHUNK_BYTES);
  }
}

test('damaged sessions are messages or a breach, in flat memory', async (context) => {
  let [frames, breaches] = [0, 0];
  const inputs = await fuzz(context, { inputs: 300_000, share: 0.2 }, (random) => {
    const decoder = new FrameDecoder();
    try {
      for (const piece of pieces(damaged(random), random)) {
        decoder.push(piece, (frame) => {
          frames += 1;
          judge(frame);
        });
      }
    } catch (error) {
      if (!(error instanceof ProtocolError)) throw error;
      breaches += 1;
    }
  });
  assert.equal(Object.keys(Object.prototype).length, 0);
  assert.ok(breaches > inputs / 4 && frames > inputs / 4, `${breaches} breaches, ${frames} frames: the damage teaches nothing`);
});
