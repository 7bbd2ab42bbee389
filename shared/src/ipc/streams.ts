/**
 * Content of one call in pieces, either way, under the credit window: the sender sends only what the receiver said it would take,
 * so neither side ever holds more than the window for a call, however large the content and however slow the reader.
 */
import { StewardError } from '../errors.ts';
import { CREDIT_WINDOW, MAX_CHUNK_BYTES } from './messages.ts';

/** The first buffer of a receiving stream, for the many answers that are no longer. */
const SMALL_BYTES = 4 * 1024;

/** How much has to be read before it is granted anew: far less than the window, and nothing for most answers. */
const GRANT_BYTES = MAX_CHUNK_BYTES;

/** What a sending stream needs of its connection. */
export interface ChunkPort {
  /** True while the socket has more than it wants; the streams are woken when that ends. */
  readonly full: boolean;
  /** Writes one chunk frame; the bytes are copied. */
  sendChunk(id: number, bytes: Uint8Array): void;
}

/** The sending end. Calls of `write` follow one another; two at once are a defect of the caller. */
export class OutgoingStream {
  readonly id: number;
  readonly #port: ChunkPort;
  readonly #stallMs: number;
  #credit = CREDIT_WINDOW;
  #aborted: Error | undefined;
  #wake: (() => void) | undefined;

  /** `stallMs`: how long one piece may wait for credit or for the socket before the reader counts as gone. */
  constructor(id: number, port: ChunkPort, stallMs: number) {
    this.id = id;
    this.#port = port;
    this.#stallMs = stallMs;
  }

  /** Bytes sent that the receiver has not yet made good. */
  get outstanding(): number {
    return CREDIT_WINDOW - this.#credit;
  }

  /**
   * Sends bytes of any length; settles when the last of them is on its way. Rejects with `cancelled` when the receiver does not
   * read, and with what `abort` was given.
   */
  async write(bytes: Uint8Array): Promise<void> {
    for (let at = 0; at < bytes.length;) {
      if (this.#blocked()) await this.#unblocked();
      if (this.#aborted !== undefined) throw this.#aborted;
      const size = Math.min(bytes.length - at, this.#credit, MAX_CHUNK_BYTES);
      this.#credit -= size;
      this.#port.sendChunk(this.id, bytes.subarray(at, at + size));
      at += size;
    }
  }

  /** The receiver will take `bytes` more. False when that is more than the window allows. */
  grant(bytes: number): boolean {
    if (bytes > this.outstanding) return false;
    this.#credit += bytes;
    this.#wake?.();
    return true;
  }

  /** The socket takes more. */
  wake(): void {
    this.#wake?.();
  }

  /** Ends a waiting `write` and refuses later ones. */
  abort(error: Error): void {
    this.#aborted ??= error;
    this.#wake?.();
  }

  #blocked(): boolean {
    return this.#aborted === undefined && (this.#credit === 0 || this.#port.full);
  }

  async #unblocked(): Promise<void> {
    const timer = setTimeout(() => this.abort(new StewardError('cancelled')), this.#stallMs);
    while (this.#blocked()) await new Promise<void>((done) => (this.#wake = done));
    this.#wake = undefined;
    clearTimeout(timer);
  }
}

/** The receiving end: iterate it once. What was iterated over is what the sender may send again. */
export class IncomingStream implements AsyncIterable<Uint8Array> {
  readonly id: number;
  readonly #grant: (id: number, bytes: number) => void;
  /** Pieces are gathered into buffers of this stream's own, so that a million tiny ones cost no more than one. */
  #gathered: { buffer: Buffer; filled: number }[] = [];
  #allowed = CREDIT_WINDOW;
  /** Read, but not granted anew yet. */
  #ungranted = 0;
  #ended = false;
  #error: Error | undefined;
  #wake: (() => void) | undefined;

  constructor(id: number, grant: (id: number, bytes: number) => void) {
    this.id = id;
    this.#grant = grant;
  }

  /** What the sender may still send. */
  get allowed(): number {
    return this.#allowed;
  }

  /** Takes a piece from the connection. False when the sender had no credit for it. */
  push(bytes: Uint8Array): boolean {
    if (bytes.length > this.#allowed) return false;
    this.#allowed -= bytes.length;
    for (let at = 0; at < bytes.length;) {
      let last = this.#gathered.at(-1);
      if (last === undefined || last.filled === last.buffer.length) {
        const size = this.#gathered.length === 0 && bytes.length - at <= SMALL_BYTES ? SMALL_BYTES : MAX_CHUNK_BYTES;
        last = { buffer: Buffer.allocUnsafeSlow(size), filled: 0 };
        this.#gathered.push(last);
      }
      const piece = bytes.subarray(at, at + last.buffer.length - last.filled);
      last.buffer.set(piece, last.filled);
      last.filled += piece.length;
      at += piece.length;
    }
    this.#wake?.();
    return true;
  }

  /** The sender has sent everything; what is here can still be read. */
  finish(): void {
    this.#ended = true;
    this.#wake?.();
  }

  /** No more will come and what is here is worthless. */
  fail(error: Error): void {
    this.#error ??= error;
    this.#wake?.();
  }

  async *[Symbol.asyncIterator](): AsyncGenerator<Uint8Array> {
    for (;;) {
      if (this.#error !== undefined) throw this.#error;
      const first = this.#gathered.shift();
      if (first !== undefined) {
        const bytes = first.buffer.subarray(0, first.filled);
        yield bytes;
        this.#made(bytes.length);
      } else if (this.#ended) return;
      else await new Promise<void>((wake) => (this.#wake = wake));
    }
  }

  #made(bytes: number): void {
    if (this.#ended || this.#error !== undefined) return;
    this.#ungranted += bytes;
    if (this.#ungranted < GRANT_BYTES) return;
    this.#allowed += this.#ungranted;
    this.#grant(this.id, this.#ungranted);
    this.#ungranted = 0;
  }
}
