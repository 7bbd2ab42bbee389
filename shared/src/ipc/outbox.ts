/**
 * What one end of a connection sends: frames in the order in which they came, in as few pieces as that takes. An end that answers
 * gathers what belongs together: content with its answer, answers that became durable together.
 */
import type { Socket } from 'node:net';
import { encodeChunk, encodeChunkHeader } from './frames.ts';

/** What is not larger is copied to what it leaves with: that costs less than to send two pieces. */
const COPIED_BYTES = 4 * 1024;

export class Outbox {
  readonly #socket: Socket;
  readonly #gathers: boolean;
  /** The last content of a call, if it is small: its answer follows at once and leaves with it in one piece. */
  #held: Buffer | undefined;

  /** `gathers`: what is sent in one turn leaves at its end, unless it is to leave at once. */
  constructor(socket: Socket, gathers: boolean) {
    this.#socket = socket;
    this.#gathers = gathers;
  }

  /** Sends a frame, and what waits for it; `atOnce`: nothing is about to join it. */
  send(frame: Uint8Array, atOnce = false): void {
    if (this.#gathers && !atOnce) this.#gather();
    const held = this.#held;
    this.#held = undefined;
    if (held === undefined) this.#socket.write(frame);
    else if (frame.length <= COPIED_BYTES) this.#socket.write(joined(held, frame));
    else this.#sendBoth(held, frame);
    if (atOnce) this.#socket.uncork();
  }

  /** Sends content (1 to MAX_CHUNK_BYTES) as a chunk; `last`: the answer of its call follows at once. */
  sendChunk(id: number, bytes: Uint8Array, last = false): void {
    if (bytes.length > COPIED_BYTES) return this.#sendBoth(encodeChunkHeader(id, bytes.length), bytes);
    const frame = encodeChunk(id, bytes);
    if (last && this.#held === undefined) this.#held = frame;
    else this.send(frame);
  }

  /** Lets go of everything that was gathered. */
  readonly flush = (): void => {
    if (this.#held !== undefined && this.#socket.writable) this.#socket.write(this.#held);
    this.#held = undefined;
    this.#socket.uncork();
  };

  /** In one system call. */
  #sendBoth(first: Uint8Array, second: Uint8Array): void {
    this.#socket.cork();
    this.send(first);
    this.#socket.write(second);
    this.#socket.uncork();
  }

  #gather(): void {
    if (this.#socket.writableCorked > 0) return;
    this.#socket.cork();
    process.nextTick(this.flush);
  }
}

function joined(first: Uint8Array, second: Uint8Array): Buffer {
  const both = Buffer.allocUnsafe(first.length + second.length);
  both.set(first);
  both.set(second, first.length);
  return both;
}
