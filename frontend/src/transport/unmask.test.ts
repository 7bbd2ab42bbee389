/** Masked frames come out as they were, however they are cut, and long ones are unmasked while they come. */
import assert from 'node:assert/strict';
import { test } from 'node:test';
import * as ws from 'ws';
import { unmaskAsItComes } from './unmask.ts';

interface TestedReceiver {
  on(event: 'message', listener: (data: Buffer) => void): void;
  on(event: 'error', listener: (error: Error) => void): void;
  write(bytes: Buffer): void;
  readonly _buffers: readonly Buffer[];
}

unmaskAsItComes();
const { Receiver } = ws as unknown as {
  readonly Receiver: new (options: { isServer: boolean; allowSynchronousEvents: boolean }) => TestedReceiver;
};

function receiver(): { readonly it: TestedReceiver; readonly messages: string[] } {
  const it = new Receiver({ isServer: true, allowSynchronousEvents: true });
  const messages: string[] = [];
  it.on('message', (data) => messages.push(data.toString()));
  it.on('error', (error) => messages.push(error.message));
  return { it, messages };
}

/** A frame of a text message as a client sends it. */
function masked(text: string, mask: Buffer, { opcode = 1, final = true } = {}): Buffer {
  const payload = Buffer.from(text);
  const head = Buffer.alloc(10);
  head[0] = (final ? 0x80 : 0) | opcode;
  head[1] = 0x80 | 127;
  head.writeBigUInt64BE(BigInt(payload.length), 2);
  payload.forEach((byte, index) => (payload[index] = byte ^ (mask[index & 3] ?? 0)));
  return Buffer.concat([head, mask, payload]);
}

const MASK = Buffer.from([0x5a, 0x01, 0xfe, 0x80]);
const textOf = (length: number, name: string): string => `${name}-é–`.repeat(Math.ceil(length / 5)).slice(0, length);

test('messages of all lengths, cut anywhere, arrive as they were sent', async () => {
  const lengths = [1, 126, 1023, 1024, 1025, 4099, 70_000, 200_001];
  const sent = lengths.map((length, index) => textOf(length, String(index)));
  const whole = Buffer.concat(sent.map((text, index) => masked(text, index % 3 === 2 ? Buffer.alloc(4) : MASK)));
  for (const size of [7, 1000, 4093, 65_536, whole.length]) {
    const { it, messages } = receiver();
    for (let at = 0; at < whole.length; at += size) {
      // each piece begins somewhere else in memory
      const piece = Buffer.alloc(size + 3).subarray(at % 4);
      const copied = whole.copy(piece, 0, at, at + size);
      it.write(piece.subarray(0, Math.min(copied, size)));
      if (at % 50 === 0) await new Promise((done) => setImmediate(done));
    }
    while (messages.length < sent.length) await new Promise((done) => setImmediate(done));
    assert.deepEqual(messages, sent, String(size));
  }
});

test('a message in several long frames is put together', async () => {
  const { it, messages } = receiver();
  const parts = ['a', 'b', 'c'].map((name) => textOf(3000, name));
  parts.forEach((part, index) =>
    it.write(masked(part, Buffer.from([index, 7, 9, 200 + index]), { opcode: index === 0 ? 1 : 0, final: index === 2 })),
  );
  while (messages.length === 0) await new Promise((done) => setImmediate(done));
  assert.deepEqual(messages, [parts.join('')]);
});

test('what has come of a long frame is without its mask before the rest comes', () => {
  const { it, messages } = receiver();
  const text = textOf(300_000, 'x');
  const frame = masked(text, MASK);
  const most = frame.length - 1;
  for (let at = 0; at < most; at += 16_384) it.write(Buffer.from(frame.subarray(at, Math.min(at + 16_384, most))));
  const plain = Buffer.from(text);
  assert.ok(Buffer.concat(it._buffers).equals(plain.subarray(0, plain.length - 1)));
  assert.deepEqual(messages, []);
});
