/**
 * What a client sends over a WebSocket is masked (RFC 6455 section 5.3). ws takes the mask off once a frame is there whole, byte by
 * byte, which without a JIT keeps the event loop for a second where the frame has 16 MiB. Here it is taken off what has come, each time
 * something comes, four bytes in a step; ws then finds a mask of zeros, for which it does nothing.
 *
 * This relies on how ws keeps a frame that is on its way: its version is pinned, and the tests fail with one that does it differently.
 * Trusted with the bytes of a frame, which it changes in place; lengths and limits have been judged by ws before.
 */
import * as ws from 'ws';

/** The fields of ws's Receiver that hold the frame at hand. */
interface FrameAtHand {
  readonly _masked: boolean;
  _mask: Uint8Array | undefined;
  readonly _payloadLength: number;
  /** What has come of the payload, and possibly of what follows it. */
  readonly _buffers: readonly Uint8Array[];
  readonly _bufferedBytes: number;
}

interface Receiver extends FrameAtHand {
  getData: (this: Receiver, done: (error?: Error) => void) => void;
}

/** Shorter frames are left to ws. */
const LONG = 1024;
const NO_MASK = new Uint8Array(4);

/** Of frames that have not come whole: how many bytes are without their mask. */
const unmasked = new WeakMap<FrameAtHand, number>();

/** Makes ws do so, for all connections. */
export function unmaskAsItComes(): void {
  const { prototype } = (ws as unknown as { readonly Receiver: { readonly prototype: Receiver } }).Receiver;
  const getData = prototype.getData;
  prototype.getData = function takeData(this: Receiver, done) {
    if (this._masked && this._payloadLength >= LONG) takeMaskOff(this);
    getData.call(this, done);
  };
}

function takeMaskOff(frame: FrameAtHand): void {
  const { _mask: mask, _payloadLength: length, _buffers: buffers } = frame;
  if (mask === undefined) return;
  const from = unmasked.get(frame) ?? 0;
  const until = Math.min(frame._bufferedBytes, length);
  // what is new is at the end
  for (let index = buffers.length - 1, end = frame._bufferedBytes; end > from; index -= 1) {
    const bytes = buffers[index];
    if (bytes === undefined) break;
    const start = end - bytes.length;
    const first = Math.max(from, start);
    if (first < until) unmask(bytes.subarray(first - start, Math.min(until, end) - start), mask, first);
    end = start;
  }
  if (until < length) {
    unmasked.set(frame, until);
    return;
  }
  unmasked.delete(frame);
  frame._mask = NO_MASK;
}

/** In place. `at` is where in the frame the bytes stand. */
function unmask(bytes: Uint8Array, mask: Uint8Array, at: number): void {
  // words stand at multiples of four in memory
  const begin = Math.min(bytes.length, -bytes.byteOffset & 3);
  const words = (bytes.length - begin) >> 2;
  const end = begin + words * 4;
  unmaskEach(bytes, mask, at, 0, begin);
  if (words > 0) unmaskWords(new Int32Array(bytes.buffer, bytes.byteOffset + begin, words), mask, at + begin);
  unmaskEach(bytes, mask, at, end, bytes.length);
}

function unmaskWords(words: Int32Array, mask: Uint8Array, at: number): void {
  const turned = new Uint8Array(4);
  for (let index = 0; index < 4; index += 1) turned[index] = mask[(at + index) & 3] ?? 0;
  const [key = 0] = new Int32Array(turned.buffer);
  const { length } = words;
  for (let index = 0; index < length; index += 1) words[index] = (words[index] ?? 0) ^ key;
}

function unmaskEach(bytes: Uint8Array, mask: Uint8Array, at: number, begin: number, end: number): void {
  for (let index = begin; index < end; index += 1) bytes[index] = (bytes[index] ?? 0) ^ (mask[(at + index) & 3] ?? 0);
}
