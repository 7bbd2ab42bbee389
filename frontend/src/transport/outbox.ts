/**
 * Answers on their way to one reader: one after the other, at the reader's speed, with a bound on how many wait. Each is released
 * when it is out, or when it will never be.
 */
import type { Reply } from '../session/conversation.ts';

/** Answers that may wait for a reader. */
const MAX_WAITING = 4096;

export interface OutboxOptions {
  /** Writes one answer; settles when there is room for the next. */
  readonly write: (reply: Reply) => Promise<void>;
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
    this.#start();
  }

  /** An answer that comes while the one before is being released finds the writing not quite over: it begins anew then. */
  #start(): void {
    this.#writing ??= this.#writeAll().finally(() => {
      this.#writing = undefined;
      if (!this.#closed && this.#queue.length > 0) this.#start();
    });
  }

  /** Settles when everything is out. */
  async emptied(): Promise<void> {
    await this.#writing;
  }

  /** Nothing more goes out. */
  close(): void {
    this.#closed = true;
    for (const reply of this.#queue.splice(0)) reply.release();
  }

  async #writeAll(): Promise<void> {
    try {
      for (let reply = this.#queue[0]; reply !== undefined; reply = this.#queue[0]) {
        await this.#options.write(reply);
        if (this.#queue.shift() !== reply) return; // closed meanwhile, and everything released
        this.#bytes -= reply.weight;
        reply.release();
      }
    } catch (error) {
      if (!this.#closed) this.#options.failed(error instanceof Error ? error.message : String(error));
    }
  }
}
