/**
 * A client of the broker that shares none of the frontend's manners: a valid handshake, and after it whatever a test wants to
 * send. With it tests show that a refusal is the broker's own. It trusts nothing and checks nothing; it only keeps what it gets.
 */
import type { Socket } from 'node:net';
import { FrameDecoder, encodeChunk, encodeCredit, encodeJson } from '@steward/shared/ipc/frames.ts';
import {
  CREDIT_WINDOW,
  MAX_CHUNK_BYTES,
  PROTOCOL,
  type BrokerMessage,
  type OpenedSession,
} from '@steward/shared/ipc/messages.ts';
import { TABLE_DIGEST } from '@steward/shared/generated/table.ts';

/** What came back for one id. `key` is that of the error, undefined for a result. */
export interface Answer {
  readonly value?: unknown;
  readonly key?: string;
  readonly params?: Readonly<Record<string, unknown>>;
  /** All chunks of the call together. */
  readonly bytes: Buffer;
}

export interface CallOptions {
  readonly capability?: string;
  readonly id?: number;
  readonly deadlineMs?: number;
  readonly request?: string;
  readonly upload?: Buffer;
}

type Message = Extract<BrokerMessage, { type: string }>;

export class RawClient {
  readonly socket: Socket;
  readonly messages: Message[] = [];
  /** Called for every message that is not an answer to an id (propose, commit, abandon, hello). */
  onMessage: (message: Message) => void = () => undefined;
  /** Called for every chunk, with its call's id. */
  onChunk: (id: number) => void = () => undefined;
  /** False to withhold credit, as a reader does that has stopped reading. */
  givesCredit = true;
  readonly closed: Promise<void>;
  readonly #decoder = new FrameDecoder();
  readonly #waiting = new Map<number, PromiseWithResolvers<Message>>();
  readonly #chunks = new Map<number, Buffer[]>();
  /** What takes the credit that arrives for an upload. */
  readonly #credits = new Map<number, (bytes: number) => void>();
  readonly #hello = Promise.withResolvers<Extract<BrokerMessage, { type: 'hello' }>>();
  #nextId = 1;
  capability = '';

  constructor(socket: Socket) {
    this.socket = socket;
    this.closed = new Promise((done) => socket.once('close', () => done()));
    void this.closed.then(() =>
      this.#waiting.forEach(({ reject }, id) => reject(new Error(`closed before the answer to ${id}`))),
    );
    socket.on('error', () => undefined);
    socket.on('end', () => socket.end());
    socket.on('data', (data: Buffer) => {
      this.#decoder.push(data, (frame) => {
        if (frame.kind === 'json') this.#message(frame.value as Message);
        else if (frame.kind === 'chunk') this.#chunk(frame.id, frame.bytes);
        else this.#credits.get(frame.id)?.(frame.bytes);
      });
    });
  }

  /** An id not used before by this client. */
  nextId(): number {
    return (this.#nextId += 1);
  }

  /** Any bytes at all. */
  raw(bytes: Uint8Array): void {
    if (!this.socket.writableEnded) this.socket.write(bytes);
  }

  send(message: object): void {
    const frame = encodeJson(message);
    if (frame === undefined) throw new Error('larger than a frame');
    this.raw(frame);
  }

  chunk(id: number, bytes: Uint8Array): void {
    this.raw(encodeChunk(id, bytes));
  }

  credit(id: number, bytes: number): void {
    this.raw(encodeCredit(id, bytes));
  }

  hello(protocol = PROTOCOL, table = TABLE_DIGEST): Promise<Extract<BrokerMessage, { type: 'hello' }>> {
    this.send({ type: 'hello', protocol, table });
    return this.#hello.promise;
  }

  /** Opens a session and uses its capability from now on. */
  async open(token: string, address = '127.0.0.1', client = 'raw'): Promise<OpenedSession> {
    const answer = await this.tryOpen(token, address, client);
    if (answer.key !== undefined) throw new Error(`no session: ${answer.key}`);
    const session = answer.value as OpenedSession;
    this.capability = session.capability;
    return session;
  }

  tryOpen(token: string, address = '127.0.0.1', client = 'raw'): Promise<Answer> {
    const id = this.nextId();
    const answer = this.answer(id);
    this.send({ type: 'open', id, token, address, client, request: `raw-${id}` });
    return answer;
  }

  /** Calls an operation and waits for its answer, with its upload sent if there is one. */
  call(op: string, args: object = {}, options: CallOptions = {}): Promise<Answer> {
    const id = options.id ?? this.nextId();
    const answer = this.answer(id);
    this.start(op, args, { ...options, id });
    if (options.upload !== undefined) this.#upload(id, options.upload);
    return answer;
  }

  /** Sends content as far as the window goes, and more whenever credit comes. */
  #upload(id: number, content: Buffer): void {
    let at = 0;
    const send = (credit: number): void => {
      const end = Math.min(at + credit, content.length);
      for (; at < end; at = Math.min(at + MAX_CHUNK_BYTES, end))
        this.chunk(id, content.subarray(at, Math.min(at + MAX_CHUNK_BYTES, end)));
      if (at < content.length) return;
      this.#credits.delete(id);
      this.send({ type: 'end', id });
    };
    this.#credits.set(id, send);
    send(CREDIT_WINDOW);
  }

  /** Sends the call message alone. */
  start(op: string, args: object, { capability = this.capability, id, deadlineMs = 30_000, request, upload }: CallOptions): void {
    const announced = upload === undefined ? {} : { upload_bytes: upload.length };
    this.send({ type: 'call', id, capability, op, args, request: request ?? `raw-${id}`, deadline_ms: deadlineMs, ...announced });
  }

  /** The answer to an id; rejects when the connection ends before it. */
  answer(id: number): Promise<Answer> {
    const waiting = Promise.withResolvers<Message>();
    waiting.promise.catch(() => undefined);
    if (this.socket.destroyed) waiting.reject(new Error(`closed before the question ${id}`));
    this.#waiting.set(id, waiting);
    return waiting.promise.then((answered) => this.#answerOf(id, answered));
  }

  #answerOf(id: number, message: Message): Answer {
    const bytes = Buffer.concat(this.#chunks.get(id) ?? []);
    this.#chunks.delete(id);
    if (message.type === 'result') return { value: message.value, bytes };
    if (message.type === 'opened') return { value: message.session, bytes };
    if (message.type === 'error') return { key: message.error.key, params: message.error.params, bytes };
    throw new Error(`${message.type} is no answer`);
  }

  #message(message: Message): void {
    this.messages.push(message);
    if (message.type === 'hello') this.#hello.resolve(message);
    if (message.type === 'progress') return;
    if (!('id' in message)) return this.onMessage(message);
    this.#waiting.get(message.id)?.resolve(message);
    this.#waiting.delete(message.id);
  }

  #chunk(id: number, bytes: Buffer): void {
    this.onChunk(id);
    this.#chunks.set(id, [...(this.#chunks.get(id) ?? []), Buffer.from(bytes)]);
    if (this.givesCredit) this.credit(id, bytes.length);
  }
}
