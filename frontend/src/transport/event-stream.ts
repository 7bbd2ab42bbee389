/**
 * The writing side of one SSE stream (WHATWG HTML, server-sent events). Answers go out one after the other, large ones piece by
 * piece and never mixed with others, at the reader's speed; a reader that takes nothing for too long loses this stream alone.
 */
import type { ServerResponse } from 'node:http';
import { encodeJson } from '../rpc/json-stream.ts';
import type { Reply } from '../session/conversation.ts';

/** Answers that may wait for a reader. */
const MAX_WAITING = 4096;
/** What may wait before a reader that stands still is given up early, in bytes. */
const HEAVY_BYTES = 4 * 1024 * 1024;

/** How long a reader may take nothing, in milliseconds. */
export interface Patience {
  readonly heavyMs: number;
  readonly lightMs: number;
}
const PATIENCE: Patience = { heavyMs: 15_000, lightMs: 60_000 };

const HEADERS = {
  'Content-Type': 'text/event-stream',
  'Cache-Control': 'no-cache, no-transform',
  'X-Accel-Buffering': 'no',
};

export interface EventStreamOptions {
  readonly response: ServerResponse;
  readonly keepAliveMs: number;
  /** Told when the reader was given up or an answer could not be completed; the stream is closed already. */
  readonly dropped: (reason: string) => void;
  readonly patience?: Patience;
}

export class EventStream {
  readonly #response: ServerResponse;
  readonly #options: EventStreamOptions;
  readonly #queue: Reply[] = [];
  readonly #timer: NodeJS.Timeout;
  #writing: Promise<void> | undefined;
  #waitingBytes = 0;
  #closed = false;

  /** Sends the head and the first event; its data is where to post. */
  constructor(options: EventStreamOptions, endpoint: string) {
    this.#options = options;
    this.#response = options.response;
    this.#response.writeHead(200, HEADERS);
    this.#response.write(`event: endpoint\ndata: ${endpoint}\n\n`);
    this.#response.once('close', () => this.#close());
    this.#response.on('error', () => this.#close());
    this.#timer = setInterval(() => this.#keepAlive(), options.keepAliveMs);
  }

  /** Queues an answer and releases it when it is out, or when it will never be. */
  send(reply: Reply): void {
    if (this.#closed) return reply.release();
    this.#queue.push(reply);
    this.#waitingBytes += reply.weight;
    if (this.#queue.length > MAX_WAITING) return this.#drop('too many answers wait for the reader');
    this.#writing ??= this.#writeAll().finally(() => (this.#writing = undefined));
  }

  /** Ends the stream after what is queued. Settles when that is done, or the reader is gone. */
  async end(): Promise<void> {
    await this.#writing;
    this.#response.end();
    this.#close();
  }

  /** Ends the stream now. */
  destroy(): void {
    this.#response.destroy();
    this.#close();
  }

  async #writeAll(): Promise<void> {
    try {
      for (let reply = this.#queue[0]; reply !== undefined; reply = this.#queue[0]) {
        await this.#writeEvent(reply);
        if (this.#queue.shift() !== reply) return; // closed meanwhile, and everything released
        this.#waitingBytes -= reply.weight;
        reply.release();
      }
    } catch (error) {
      // Half an answer is out: the only honest end is the end of the stream.
      if (!this.#closed) this.#drop(error instanceof Error ? error.message : String(error));
    }
  }

  async #writeEvent({ node }: Reply): Promise<void> {
    const text = encodeJson(node);
    if (typeof text === 'string') return this.#write(`event: message\ndata: ${text}\n\n`);
    let before = 'event: message\ndata: ';
    for await (const piece of text) {
      await this.#write(before + piece);
      before = '';
    }
    await this.#write('\n\n');
  }

  async #write(text: string): Promise<void> {
    if (this.#closed) throw new Error('the stream is closed');
    if (!this.#response.write(text)) await this.#drained();
  }

  async #drained(): Promise<void> {
    const { promise, resolve } = Promise.withResolvers<void>();
    const began = performance.now();
    const { heavyMs, lightMs } = this.#options.patience ?? PATIENCE;
    const watch = setInterval(() => {
      const stood = performance.now() - began;
      if (stood >= lightMs || (stood >= heavyMs && this.#waitingBytes > HEAVY_BYTES)) this.#drop('the reader takes nothing');
    }, heavyMs / 4);
    this.#response.once('drain', resolve);
    this.#response.once('close', resolve);
    await promise.finally(() => {
      clearInterval(watch);
      this.#response.off('drain', resolve);
      this.#response.off('close', resolve);
    });
  }

  /** A comment between events; within one it would become part of it. */
  #keepAlive(): void {
    if (this.#writing === undefined && !this.#response.writableNeedDrain) this.#response.write(': ping\n\n');
  }

  #drop(reason: string): void {
    this.destroy();
    this.#options.dropped(reason);
  }

  #close(): void {
    if (this.#closed) return;
    this.#closed = true;
    clearInterval(this.#timer);
    for (const reply of this.#queue.splice(0)) reply.release();
  }
}
