/**
 * Answers on their way to one reader: one after the other, at the reader's speed, with a bound on how many wait. Each is released
 * when it is out, or when it will never be.
 */
import type { Reply } from '../session/conversation.ts';

/** Answers that may wait for a reader. */
const MAX_WAITING = 4096;

export interface OutboxOptions {
  /** Writes one answer; settles when there is room for the next. Without a promise there is room already. */
  readonly write: (reply: Reply) => void | Promise<void>;
  /** Told when an answer could not be completed or too many wait: half an answer is none, so the stream must end. */
  readonly failed: (reason: string) => void;
}

export class Outbox {
  readonly #options: OutboxOptions;
  readonly #queue: Reply[] = [];
  #writing: Promise<void> | undefined;
  #bytes = 0;
  #closed = false;

  constructor(options: OutboxOptions) {
    this.#options = options;
  }

  /** True between answers. */
  get idle(): boolean {
    return this.#writing === undefined;
  }

  /** About how many bytes wait. */
  get bytes(): number {
    return this.#bytes;
  }

  send(reply: Reply): void {
    if (this.#closed) return reply.release();
    this.#queue.push(reply);
    this.#bytes += reply.weight;
    if (this.#queue.length > MAX_WAITING) return this.#options.failed('too many answers wait for the reader');
    if (this.#writing === undefined) this.#writeOn();
  }

  /** Settles when everything is out. */
  async emptied(): Promise<void> {
    while (this.#writing !== undefined) await this.#writing;
  }

  /** Nothing more goes out. */
  close(): void {
    this.#closed = true;
    for (const reply of this.#queue.splice(0)) reply.release();
  }

  /** Writes what waits, as far as there is room: most answers are out before this returns. */
  #writeOn(): void {
    try {
      for (let reply = this.#queue[0]; reply !== undefined; reply = this.#queue[0]) {
        const writing = this.#options.write(reply);
        if (writing !== undefined) {
          this.#writing = this.#await(writing, reply);
          return;
        }
        this.#isOut(reply);
      }
    } catch (error) {
      this.#fail(error);
    }
  }

  async #await(writing: Promise<void>, reply: Reply): Promise<void> {
    try {
      await writing;
      this.#isOut(reply);
    } catch (error) {
      this.#fail(error);
    }
    this.#writing = undefined;
    if (!this.#closed) this.#writeOn();
  }

  #isOut(reply: Reply): void {
    if (this.#queue[0] !== reply) return; // closed meanwhile, and everything released
    this.#queue.shift();
    this.#bytes -= reply.weight;
    reply.release();
  }

  #fail(error: unknown): void {
    if (!this.#closed) this.#options.failed(error instanceof Error ? error.message : String(error));
  }
}
