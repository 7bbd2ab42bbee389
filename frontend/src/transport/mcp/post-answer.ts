/**
 * The answer to one POST: a JSON document when it is ready soon, an event stream when there is something to say before, when it
 * takes long, or when the client takes nothing else.
 */
import { nextTurn } from '../../next-turn.ts';
import type { JsonNode } from '../../rpc/json-stream.ts';
import type { Batch, Message } from '../../rpc/message.ts';
import { progressToken } from '../../session/progress.ts';
import type { Reply } from '../../session/conversation.ts';
import { answerEmpty } from '../answer.ts';
import { EventStream } from '../event-stream.ts';
import type { Exchange } from '../exchange.ts';
import type { Accepted } from './accept.ts';
import { sendJson } from './json-body.ts';

export interface PostAnswerOptions {
  readonly exchange: Exchange;
  readonly accepted: Accepted;
  readonly body: Message | Batch;
  readonly keepAliveMs: number;
  /** Told when a reader was given up. */
  readonly dropped: (reason: string) => void;
}

/** After this long a client that takes a stream gets one: a silent connection looks dead. */
const SOON_MS = 1000;

export class PostAnswer {
  readonly #options: PostAnswerOptions;
  readonly #closed: Promise<void>;
  #timer: NodeJS.Timeout | undefined;
  #stream: EventStream | undefined;
  #sent = false;

  constructor(options: PostAnswerOptions) {
    this.#options = options;
    const { exchange, accepted, body } = options;
    this.#closed = new Promise((done) => exchange.response.once('close', done));
    if (!accepted.stream) return;
    if (!accepted.json || asksForProgress(body)) this.#open();
    else nextTurn(() => this.#openLater());
  }

  /** Settles when it is out, or the client is gone. */
  get closed(): Promise<void> {
    return this.#closed;
  }

  /** A notice before the answer; lost where the client takes no stream. */
  notify(notice: JsonNode): void {
    if (this.#options.accepted.stream && !this.#sent) this.#open()?.notify(notice);
  }

  deliver(reply: Reply): void {
    clearTimeout(this.#timer);
    this.#sent = true;
    const { exchange, dropped } = this.#options;
    if (this.#stream !== undefined) this.#stream.send(reply);
    else void sendJson(exchange.response, reply, dropped);
  }

  /** Nothing more comes. A request that was cancelled has no answer: then the stream ends without one. */
  done(): void {
    clearTimeout(this.#timer);
    if (!this.#sent && this.#options.accepted.stream) this.#open();
    if (this.#stream !== undefined) void this.#stream.end();
    else if (!this.#sent) answerEmpty(this.#options.exchange.response, {});
  }

  #openLater(): void {
    if (!this.#sent && this.#stream === undefined) this.#timer = setTimeout(() => this.#open(), SOON_MS);
  }

  #open(): EventStream | undefined {
    const { exchange, keepAliveMs, dropped } = this.#options;
    const { response } = exchange;
    if (this.#stream === undefined && !response.destroyed) {
      this.#stream = new EventStream({ response, lasts: false, keepAliveMs, dropped });
    }
    return this.#stream;
  }
}

function asksForProgress(body: Message | Batch): boolean {
  const members = body.kind === 'batch' ? body.members : [body];
  return members.some((member) => member.kind === 'request' && progressToken(member.params) !== undefined);
}
