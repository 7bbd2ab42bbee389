/** Proves that what one end sends keeps its order, and how many pieces it leaves in. */
import assert from 'node:assert/strict';
import { Duplex } from 'node:stream';
import type { Socket } from 'node:net';
import { test } from 'node:test';
import { setImmediate as turn } from 'node:timers/promises';
import { FrameDecoder, encodeJson, type Frame } from './frames.ts';
import { Outbox } from './outbox.ts';

/** What leaves, piece by piece: several buffers given to the system at once are one. */
function watched(gathers: boolean): { readonly outbox: Outbox; readonly socket: Duplex; readonly pieces: Buffer[] } {
  const pieces: Buffer[] = [];
  const socket = new Duplex({
    write(chunk: Buffer, _encoding, done) {
      pieces.push(chunk);
      done();
    },
    writev(chunks, done) {
      pieces.push(Buffer.concat(chunks.map(({ chunk }) => chunk as Buffer)));
      done();
    },
  });
  return { outbox: new Outbox(socket as Socket, gathers), socket, pieces };
}

const message = (text: string): Buffer => encodeJson({ text }) ?? Buffer.alloc(0);

/** The frames of some bytes, in a few words each. */
function told(bytes: readonly Buffer[]): string[] {
  const frames: string[] = [];
  const tell = (frame: Frame): void => {
    if (frame.kind === 'json') frames.push((frame.value as { text: string }).text.slice(0, 9));
    else if (frame.kind === 'chunk') frames.push(`${frame.id}: ${frame.bytes.length}`);
  };
  new FrameDecoder().push(Buffer.concat(bytes), tell);
  return frames;
}

test('the last content and the answer behind it leave at once, in one piece', () => {
  const { outbox, pieces } = watched(true);
  outbox.sendChunk(7, Buffer.from('abc'), true);
  assert.equal(pieces.length, 0);
  outbox.send(message('answer'), true);
  assert.equal(pieces.length, 1);
  assert.deepEqual(told(pieces), ['7: 3', 'answer']);
});

test('content that nothing follows leaves when the turn is over', async () => {
  const { outbox, pieces } = watched(true);
  outbox.sendChunk(7, Buffer.from('abc'));
  await turn();
  assert.deepEqual(told(pieces), ['7: 3']);
});

test('last content waits for whatever is next, also of other calls', async () => {
  const { outbox, pieces } = watched(true);
  outbox.sendChunk(7, Buffer.from('abc'), true);
  await turn();
  assert.equal(pieces.length, 0);
  outbox.sendChunk(8, Buffer.from('abcd'), true);
  outbox.send(message('answer'));
  await turn();
  assert.equal(pieces.length, 1);
  assert.deepEqual(told(pieces), ['7: 3', '8: 4', 'answer']);
  outbox.sendChunk(9, Buffer.from('a'), true);
  outbox.flush();
  assert.deepEqual(told(pieces), ['7: 3', '8: 4', 'answer', '9: 1']);
});

test('what is sent in one turn keeps its order and leaves in one piece, whatever its size', async () => {
  const { outbox, pieces } = watched(true);
  outbox.sendChunk(1, Buffer.from('abc'), true);
  outbox.send(message('b'.repeat(10_000)));
  outbox.sendChunk(2, Buffer.from('abcd'));
  outbox.sendChunk(2, Buffer.from('abcde'));
  outbox.send(message('answer'));
  outbox.sendChunk(3, Buffer.from('a'));
  assert.equal(pieces.length, 0);
  await turn();
  assert.equal(pieces.length, 1);
  assert.deepEqual(told(pieces), ['1: 3', 'bbbbbbbbb', '2: 4', '2: 5', 'answer', '3: 1']);
});

test('large content takes what waits with it', async () => {
  const { outbox, pieces } = watched(true);
  outbox.sendChunk(1, Buffer.from('abc'), true);
  outbox.sendChunk(1, Buffer.alloc(60_000), true);
  outbox.send(message('answer'), true);
  await turn();
  assert.deepEqual(told(pieces), ['1: 3', '1: 60000', 'answer']);
});

test('an end that asks sends at once', () => {
  const { outbox, pieces } = watched(false);
  outbox.sendChunk(1, Buffer.from('abc'));
  outbox.send(message('question'));
  assert.equal(pieces.length, 2);
  assert.deepEqual(told(pieces), ['1: 3', 'question']);
});

test('nothing is written to a socket that has ended meanwhile', () => {
  const { outbox, socket, pieces } = watched(true);
  outbox.sendChunk(1, Buffer.from('abc'), true);
  socket.end();
  outbox.flush();
  assert.equal(pieces.length, 0);
});
