/**
 * The writing side of one WebSocket (RFC 6455): one JSON message per text message, large ones in fragments, one after the other at
 * the reader's speed. A reader that takes nothing, or does not answer pings, loses this connection alone.
 */
import type { WebSocket } from 'ws';
import { encodeJson } from '../rpc/json-stream.ts';
import type { Reply } from '../session/conversation.ts';
import { Outbox } from './outbox.ts';
import { patiently, type Patience } from './patience.ts';

export interface SocketStreamOptions {
  readonly socket: WebSocket;
  readonly pingMs: number;
  /** How long a ping may stay without an answer; for tests. */
  readonly pongMs?: number;
  readonly patience?: Patience;
  /** Told when the reader was given up or an answer could not be completed. */
  readonly dropped: (reason: string) => void;
}

/** Milliseconds without any pong after which the other side is taken for dead. */
const PONG_MS = 60_000;
/** Bytes that may wait in the socket before writing waits. */
const MAX_BUFFERED = 1024 * 1024;
/** Status codes of a close (RFC 6455 section 7.4.1, and the IANA registry). */
const TRY_AGAIN_LATER = 1013;

export class SocketStream {
  readonly #options: SocketStreamOptions;
  readonly #socket: WebSocket;
  readonly #outbox: Outbox;
  readonly #timer: NodeJS.Timeout;
  #heard = performance.now();
  #gone = false;

  constructor(options: SocketStreamOptions) {
    const { socket, pingMs } = options;
    this.#options = options;
    this.#socket = socket;
    this.#outbox = new Outbox({ write: (reply) => this.#write(reply), failed: (reason) => this.drop(reason) });
    this.#timer = setInterval(() => this.#ping(), pingMs);
    socket.on('pong', () => (this.#heard = performance.now()));
    socket.once('close', () => this.#close());
  }

  /** Queues an answer and releases it when it is out, or when it will never be. */
  send(reply: Reply): void {
    this.#outbox.send(reply);
  }

  /** Settles when everything queued is out. */
  emptied(): Promise<void> {
    return this.#outbox.emptied();
  }

  /** Gives the reader up: a close frame it may never read, then the end of the connection. */
  drop(reason: string): void {
    if (this.#gone) return;
    this.#gone = true;
    this.#socket.close(TRY_AGAIN_LATER);
    this.#socket.terminate();
    this.#close();
    this.#options.dropped(reason);
  }

  async #write({ node }: Reply): Promise<void> {
    const text = encodeJson(node);
    if (typeof text === 'string') return this.#send(text, true);
    for await (const piece of text) await this.#send(piece, false);
    await this.#send('', true);
  }

  /** One fragment. Waits only while more than a little is buffered, so that small answers need no round through the kernel. */
  async #send(text: string, fin: boolean): Promise<void> {
    if (this.#socket.readyState !== this.#socket.OPEN) throw new Error('the connection is closed');
    const { promise, resolve } = Promise.withResolvers<void>();
    this.#socket.send(text, { fin, binary: false }, () => resolve());
    if (this.#socket.bufferedAmount < MAX_BUFFERED) return;
    this.#socket.once('close', resolve);
    const giveUp = (): void => this.drop('the reader takes nothing');
    await patiently(promise, () => this.#outbox.bytes, giveUp, this.#options.patience).finally(() =>
      this.#socket.off('close', resolve),
    );
  }

  #ping(): void {
    if (performance.now() - this.#heard > (this.#options.pongMs ?? PONG_MS)) return this.drop('the client does not answer pings');
    this.#socket.ping();
  }

  #close(): void {
    this.#gone = true;
    clearInterval(this.#timer);
    this.#outbox.close();
  }
}
