/**
 * The framed connection between frontend and broker, the same code at both ends: messages, content streams with their credit,
 * and every rule whose breach ends the connection. Trusted with flat memory: what is unread, unsent or in flight is bounded.
 */
import type { Socket } from 'node:net';
import { StewardError } from '../errors.ts';
import { FrameDecoder, ProtocolError, encodeCredit, encodeJson, type Frame } from './frames.ts';
import { InboxSocket } from './inbox-socket.ts';
import { remember, spend } from './late.ts';
import { Outbox } from './outbox.ts';
import { IncomingStream, OutgoingStream, type ChunkPort } from './streams.ts';
import { TransientMap } from '../transient-map.ts';

/** How long the rest of a frame may take to come, before and after the handshake, in milliseconds. */
export const FRAME_TIMEOUT_MS = { handshake: 2_000, established: 10_000 } as const;
/** How long a sender waits for a reader that takes nothing. */
export const STALL_MS = 30_000;
/** Replies not yet taken by the other side, beyond which a broker reads no further requests. */
const MAX_UNSENT_BYTES = 4 * 1024 * 1024;

export interface ConnectionHandlers {
  /** A parsed JSON frame; its content has not been judged. */
  message(value: unknown): void;
  /** The other side broke the protocol. Nothing more will be delivered; the handler decides how to leave. */
  violation(error: ProtocolError): void;
  /** The other side will send nothing more, but may still read. */
  end(): void;
  /** The socket is gone. */
  closed(): void;
}

export interface ConnectionOptions {
  readonly handlers: ConnectionHandlers;
  /** This end answers (the broker): it gathers what it sends, and reads only while its answers are read, which two ends cannot. */
  readonly answers?: boolean;
  readonly stallMs?: number;
}

export class Connection implements ChunkPort {
  readonly #socket: Socket;
  readonly #handlers: ConnectionHandlers;
  readonly #answers: boolean;
  readonly #stallMs: number;
  readonly #decoder = new FrameDecoder();
  readonly #outbox: Outbox;
  readonly #outgoing = new TransientMap<number, OutgoingStream>();
  readonly #incoming = new TransientMap<number, IncomingStream>();
  /** Bytes that may still be granted, or may still come, for streams that are over. */
  readonly #lateCredit = new Map<number, number>();
  readonly #lateChunks = new Map<number, number>();
  readonly #holds = new Set<string>();
  #frameTimeoutMs: number = FRAME_TIMEOUT_MS.handshake;
  #frameTimer: NodeJS.Timeout | undefined;
  #dead = false;

  constructor(socket: Socket, options: ConnectionOptions) {
    this.#socket = socket;
    this.#handlers = options.handlers;
    this.#answers = options.answers === true;
    this.#outbox = new Outbox(socket, this.#answers);
    this.#stallMs = options.stallMs ?? STALL_MS;
    if (socket instanceof InboxSocket) socket.receive = this.#take;
    else socket.on('data', this.#take);
    socket.on('end', () => this.#ended());
    socket.on('drain', () => this.#drained());
    socket.on('error', () => socket.destroy()); // ECONNRESET, EPIPE: `close` follows and says it all
    socket.on('close', () => this.#closed());
  }

  /** True when nothing can be sent any more. */
  get dead(): boolean {
    return this.#dead || this.#socket.destroyed;
  }

  /** From now on a frame may take longer to arrive. */
  established(): void {
    this.#frameTimeoutMs = FRAME_TIMEOUT_MS.established;
  }

  /** Sends one message; `atOnce`: nothing is about to join it. False when it is larger than a frame may be; then nothing was sent. */
  send(message: object, atOnce = false): boolean {
    const frame = encodeJson(message);
    if (frame === undefined) return false;
    if (this.#maySend) this.#outbox.send(frame, atOnce);
    this.#watchUnsent();
    return true;
  }

  sendChunk(id: number, bytes: Uint8Array, last?: boolean): void {
    if (this.#maySend) this.#outbox.sendChunk(id, bytes, last);
    this.#watchUnsent();
  }

  grant(stream: IncomingStream, bytes: number): void {
    if (this.#incoming.get(stream.id) === stream && this.#maySend) this.#outbox.send(encodeCredit(stream.id, bytes));
  }

  get full(): boolean {
    return this.#socket.writableNeedDrain;
  }

  /** Opens the sending end of a call's content. Ids are never used again while late frames of an earlier use may come. */
  openOutgoing(id: number): OutgoingStream {
    const stream = new OutgoingStream(id, this, this.#stallMs);
    this.#lateCredit.delete(id);
    this.#outgoing.set(id, stream);
    return stream;
  }

  /** The call is over: its credit is no longer needed, but may still arrive. */
  closeOutgoing(stream: OutgoingStream): void {
    if (!this.#outgoing.delete(stream.id)) return;
    if (stream.outstanding > 0) remember(this.#lateCredit, stream.id, stream.outstanding);
  }

  /** Opens the receiving end of a call's content. */
  openIncoming(id: number): IncomingStream {
    const stream = new IncomingStream(id, this);
    this.#lateChunks.delete(id);
    this.#incoming.set(id, stream);
    return stream;
  }

  /** The sender said that this was all. False when no such stream is open, nor was until a moment ago. */
  finishIncoming(id: number): boolean {
    const stream = this.#incoming.get(id);
    stream?.finish();
    return this.#incoming.delete(id) || this.#lateChunks.delete(id);
  }

  /** Nobody wants the rest, if there is one: what is on its way is dropped when it comes. */
  abandonIncoming(stream: IncomingStream): void {
    if (!this.#incoming.delete(stream.id)) return;
    remember(this.#lateChunks, stream.id, stream.allowed);
    stream.fail(new StewardError('cancelled'));
  }

  /** Reads nothing while any reason holds. */
  hold(reason: string): void {
    this.#holds.add(reason);
    this.#socket.pause();
    clearTimeout(this.#frameTimer);
  }

  release(reason: string): void {
    if (!this.#holds.delete(reason) || this.#holds.size > 0) return;
    this.#socket.resume();
    this.#watchFrame();
  }

  /** Sends what is queued, then closes this side. Settles when the socket is closed or has nothing left to send. */
  async finish(): Promise<void> {
    if (this.dead) return;
    this.#outbox.flush();
    await new Promise<void>((done) => {
      this.#socket.once('close', done);
      this.#socket.end(done);
    });
  }

  destroy(): void {
    this.#dead = true;
    clearTimeout(this.#frameTimer);
    this.#socket.destroy();
  }

  get #maySend(): boolean {
    return !this.dead && !this.#socket.writableEnded;
  }

  #watchUnsent(): void {
    if (this.#answers && this.#socket.writableLength > MAX_UNSENT_BYTES) this.hold('unsent');
  }

  readonly #take = (data: Buffer): void => {
    if (this.#frameTimer !== undefined) clearTimeout(this.#frameTimer);
    try {
      this.#decoder.push(data, this.#deliver);
    } catch (error) {
      if (!(error instanceof ProtocolError)) throw error;
      this.violate(error);
      return;
    }
    if (this.#decoder.partial) this.#watchFrame();
  };

  readonly #deliver = (frame: Frame): void => {
    if (this.#dead) return;
    if (frame.kind === 'json') this.#handlers.message(frame.value);
    else if (frame.kind === 'chunk') this.#deliverChunk(frame.id, frame.bytes);
    else this.#deliverCredit(frame.id, frame.bytes);
  };

  #deliverChunk(id: number, bytes: Buffer): void {
    const stream = this.#incoming.get(id);
    if (stream === undefined) spend(this.#lateChunks, id, bytes.length, 'chunk');
    else if (!stream.push(bytes)) throw new ProtocolError(`chunk beyond the credit of call ${id}`);
  }

  #deliverCredit(id: number, bytes: number): void {
    const stream = this.#outgoing.get(id);
    if (stream === undefined) spend(this.#lateCredit, id, bytes, 'credit');
    else if (!stream.grant(bytes)) throw new ProtocolError(`credit beyond the window of call ${id}`);
  }

  /** Ends the connection's life as far as its owner is concerned; also for breaches that only the owner can see. */
  violate(error: ProtocolError): void {
    if (this.#dead) return;
    this.#dead = true;
    clearTimeout(this.#frameTimer);
    this.#socket.pause();
    this.#handlers.violation(error);
  }

  #watchFrame(): void {
    clearTimeout(this.#frameTimer);
    if (this.#dead || !this.#decoder.partial || this.#holds.size > 0) return;
    this.#frameTimer = setTimeout(() => this.violate(new ProtocolError('a frame was not completed')), this.#frameTimeoutMs);
  }

  #ended(): void {
    clearTimeout(this.#frameTimer);
    for (const stream of this.#incoming.values()) stream.fail(new StewardError('cancelled'));
    if (!this.#dead) this.#handlers.end();
  }

  #drained(): void {
    for (const stream of this.#outgoing.values()) stream.wake();
    this.release('unsent');
  }

  #closed(): void {
    this.#dead = true;
    clearTimeout(this.#frameTimer);
    const error = new StewardError('cancelled');
    for (const stream of this.#outgoing.values()) stream.abort(error);
    for (const stream of this.#incoming.values()) stream.fail(error);
    this.#handlers.closed();
  }
}
