/**
 * Content of one call in pieces, either way, under the credit window: the sender sends only what the receiver said it would take,
 * so neither side ever holds more than the window for a call, however large the content and however slow the reader.
 */
import { StewardError } from '../errors.ts';
import { CREDIT_WINDOW, MAX_CHUNK_BYTES } from './messages.ts';

/** How much has to be read before it is granted anew: far less than the window, and nothing for most answers. */
const GRANT_BYTES = MAX_CHUNK_BYTES;

/** What has been sent needs no promise of its own. */
const SENT = Promise.resolve();

/** What streams need of their connection. */
export interface ChunkPort {
  /** True while the socket has more than it wants; the streams are woken when that ends. */
  readonly full: boolean;
  /** Writes one chunk frame. The bytes may be sent later, and must not change. `last`: the answer follows at once. */
  sendChunk(id: number, bytes: Uint8Array, last?: boolean): void;
  /** Says that the sender may send so much more. */
  grant(stream: IncomingStream, bytes: number): void;
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
   * Sends bytes of any length, which must not change any more; settles when the last of them is on its way. Rejects with `cancelled` when the receiver does not
   * read, and with what `abort` was given. `last`: the answer follows at once.
   */
  write(bytes: Uint8Array, last?: boolean): Promise<void> {
    const fits = bytes.length > 0 && bytes.length <= MAX_CHUNK_BYTES && bytes.length <= this.#credit;
    if (!fits || this.#aborted !== undefined || this.#port.full) return this.#writeInTurn(bytes);
    this.#credit -= bytes.length;
    this.#port.sendChunk(this.id, bytes, last);
    return SENT;
  }

  async #writeInTurn(bytes: Uint8Array): Promise<void> {
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

/** The receiving end: drain it once. What was taken from it is what the sender may send again. */
export class IncomingStream {
  readonly id: number;
  readonly #port: Pick<ChunkPort, 'grant'>;
  /** What has come and was not taken: a piece for itself, and after it buffers that a million tiny ones fill up. */
  #waiting: Uint8Array[] = [];
  /** Of the last buffer that waits, when it is one to be filled. */
  #filled: number | undefined;
  #allowed = CREDIT_WINDOW;
  /** Taken, but not granted anew yet. */
  #ungranted = 0;
  #ended = false;
  #error: Error | undefined;
  #wake: (() => void) | undefined;

  constructor(id: number, port: Pick<ChunkPort, 'grant'>) {
    this.id = id;
    this.#port = port;
  }

  /** What the sender may still send. */
  get allowed(): number {
    return this.#allowed;
  }

  /** Takes a piece from the connection; it is copied. False when the sender had no credit for it. */
  push(bytes: Uint8Array): boolean {
    if (bytes.length > this.#allowed) return false;
    this.#allowed -= bytes.length;
    if (this.#waiting.length === 0) this.#waiting.push(new Uint8Array(bytes));
    else this.#gather(bytes);
    this.#wake?.();
    return true;
  }

  /** The sender has sent everything; what is here can still be taken. */
  finish(): void {
    this.#ended = true;
    this.#wake?.();
  }

  /** No more will come and what is here is worthless. */
  fail(error: Error): void {
    this.#error ??= error;
    this.#wake?.();
  }

  /** True when it failed, whatever its reader thinks. */
  get failed(): boolean {
    return this.#error !== undefined;
  }

  /**
   * Hands everything to `sink`, piece by piece, until the end; the pieces are the sink's to keep. Rejects with what the stream failed
   * with, or the sink.
   */
  async drain(sink: (bytes: Uint8Array) => Promise<unknown>): Promise<void> {
    for (;;) {
      if (this.#error !== undefined) throw this.#error;
      const bytes = this.#next();
      if (bytes !== undefined) {
        await sink(bytes);
        this.#taken(bytes.length);
      } else if (this.#ended) return;
      else await new Promise<void>((wake) => (this.#wake = wake));
    }
  }

  #gather(bytes: Uint8Array): void {
    for (let at = 0; at < bytes.length;) {
      let last = this.#waiting.at(-1);
      if (last === undefined || this.#filled === undefined || this.#filled === last.length) {
        last = Buffer.allocUnsafeSlow(MAX_CHUNK_BYTES);
        this.#waiting.push(last);
        this.#filled = 0;
      }
      const piece = bytes.subarray(at, at + last.length - this.#filled);
      last.set(piece, this.#filled);
      this.#filled += piece.length;
      at += piece.length;
    }
  }

  #next(): Uint8Array | undefined {
    const first = this.#waiting.shift();
    if (first === undefined || this.#waiting.length > 0 || this.#filled === undefined) return first;
    const filled = this.#filled;
    this.#filled = undefined;
    return filled < MAX_CHUNK_BYTES / 2 ? first.slice(0, filled) : first.subarray(0, filled); // whoever keeps little keeps no buffer
  }

  #taken(bytes: number): void {
    if (this.#ended || this.#error !== undefined) return;
    this.#ungranted += bytes;
    if (this.#ungranted < GRANT_BYTES) return;
    this.#allowed += this.#ungranted;
    this.#port.grant(this, this.#ungranted);
    this.#ungranted = 0;
  }
}
