/**
 * The writing side of one SSE stream (WHATWG HTML, server-sent events). Answers go out one after the other, large ones piece by
 * piece and never mixed with others, at the reader's speed; a reader that takes nothing for too long loses this stream alone.
 */
import type { ServerResponse } from 'node:http';
import type { Writable } from 'node:stream';
import { gather } from '../gather.ts';
import { encodeJson, type JsonNode } from '../rpc/json-stream.ts';
import type { Reply } from '../session/conversation.ts';
import { Outbox } from './outbox.ts';
import { patiently, type Patience } from './patience.ts';

const HEADERS = {
  'Content-Type': 'text/event-stream',
  'Cache-Control': 'no-cache, no-transform',
  'X-Accel-Buffering': 'no',
};

/**
 * Sends the head of a body that ends with its connection (RFC 9112 section 6.3). It is not in chunks, so that events may go to the
 * connection as they are, past the HTTP layer.
 */
function openLasting(response: ServerResponse): Writable {
  response.removeHeader('Transfer-Encoding');
  response.writeHead(200, { ...HEADERS, Connection: 'close' });
  // Behind answers that are still to come on the same connection there is none yet.
  return response.socket ?? response;
}

/** How a stream begins, where it does not begin with an answer. */
export interface Opening {
  /** Where to post: the first event of the first revision's streams. */
  readonly endpoint?: string;
  /** An id with nothing behind it, so that a client whose stream breaks can say which one it had. */
  readonly id?: string;
}

export interface EventStreamOptions {
  readonly response: ServerResponse;
  /** It is the last that its connection carries, and lasts as long. */
  readonly lasts: boolean;
  readonly keepAliveMs: number;
  /** Told when the reader was given up or an answer could not be completed; the stream is closed already. */
  readonly dropped: (reason: string) => void;
  readonly patience?: Patience;
}

export class EventStream {
  readonly #response: ServerResponse;
  /** Where events go. */
  readonly #way: Writable;
  readonly #options: EventStreamOptions;
  readonly #outbox: Outbox;
  readonly #out = gather({ write: (text) => this.#closed || this.#way.write(text) });
  readonly #timer: NodeJS.Timeout;
  #closed = false;

  /** Sends the head, and what it opens with. */
  constructor(options: EventStreamOptions, { endpoint, id }: Opening = {}) {
    this.#options = options;
    this.#response = options.response;
    this.#outbox = new Outbox({ write: (reply) => this.#writeEvent(reply), failed: (reason) => this.#drop(reason) });
    this.#way = options.lasts ? openLasting(options.response) : options.response.writeHead(200, HEADERS);
    if (endpoint !== undefined) this.#response.write(`event: endpoint\ndata: ${endpoint}\n\n`);
    else if (id !== undefined) this.#response.write(`id: ${id}\ndata: \n\n`);
    else this.#response.flushHeaders();
    this.#response.once('close', () => this.#close());
    this.#response.on('error', () => this.#close());
    this.#timer = setInterval(() => this.#keepAlive(), options.keepAliveMs);
  }

  /** Queues an answer and releases it when it is out, or when it will never be. */
  send(reply: Reply): void {
    this.#outbox.send(reply);
  }

  /** Queues a message that nothing waits behind. */
  notify(node: JsonNode): void {
    this.send({ node, weight: 0, release: () => undefined });
  }

  /** Ends the stream after what is queued. Settles when that is done, or the reader is gone. */
  async end(): Promise<void> {
    await this.#outbox.emptied();
    this.#out.flush();
    this.#response.end();
    this.#close();
  }

  /** Ends the stream now. */
  destroy(): void {
    this.#response.destroy();
    this.#close();
  }

  #writeEvent({ node }: Reply): void | Promise<void> {
    const text = encodeJson(node);
    return typeof text === 'string' ? this.#write(`event: message\ndata: ${text}\n\n`) : this.#writePieces(text);
  }

  async #writePieces(pieces: AsyncIterable<string>): Promise<void> {
    let before = 'event: message\ndata: ';
    for await (const piece of pieces) {
      await this.#write(before + piece);
      before = '';
    }
    await this.#write('\n\n');
  }

  /** Without a promise there is room for more already. */
  #write(text: string): void | Promise<void> {
    if (this.#closed) throw new Error('the stream is closed');
    this.#out.write(text);
    return this.#way.writableNeedDrain ? this.#drained() : undefined;
  }

  async #drained(): Promise<void> {
    const { promise, resolve } = Promise.withResolvers<void>();
    this.#way.once('drain', resolve);
    this.#response.once('close', resolve);
    const giveUp = (): void => this.#drop('the reader takes nothing');
    await patiently(promise, () => this.#outbox.bytes, giveUp, this.#options.patience).finally(() => {
      this.#way.off('drain', resolve);
      this.#response.off('close', resolve);
    });
  }

  /** A comment between events; within one it would become part of it. */
  #keepAlive(): void {
    if (this.#outbox.idle && !this.#way.writableNeedDrain) this.#out.write(': ping\n\n');
  }

  #drop(reason: string): void {
    this.destroy();
    this.#options.dropped(reason);
  }

  #close(): void {
    if (this.#closed) return;
    this.#closed = true;
    clearInterval(this.#timer);
    this.#outbox.close();
  }
}
