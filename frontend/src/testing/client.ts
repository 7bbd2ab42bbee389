/** For unit tests alone: a raw client. Nothing is hidden: statuses, headers, every byte of a stream. */
import { request as httpRequest, type IncomingHttpHeaders, type IncomingMessage, type OutgoingHttpHeaders } from 'node:http';
import { request as httpsRequest } from 'node:https';

export interface Target {
  readonly port: number;
  /** Certificate to trust; plain HTTP without. */
  readonly ca?: string;
}

export interface HttpAnswer {
  readonly status: number;
  readonly headers: IncomingHttpHeaders;
  readonly body: string;
}

export interface Ask {
  readonly method?: string;
  readonly path: string;
  readonly headers?: OutgoingHttpHeaders;
  readonly body?: string | Buffer;
}

function send({ port, ca }: Target, { method = 'GET', path, headers = {}, body }: Ask): Promise<IncomingMessage> {
  return new Promise((resolve, reject) => {
    const options = { host: '127.0.0.1', port, path, method, headers, agent: false };
    const outgoing = ca === undefined ? httpRequest(options) : httpsRequest({ ...options, ca });
    outgoing.on('response', resolve).on('error', reject);
    outgoing.end(body);
  });
}

/** One exchange to its end. */
export async function http(target: Target, ask: Ask): Promise<HttpAnswer> {
  const response = await send(target, ask);
  const pieces: Buffer[] = [];
  for await (const piece of response) pieces.push(piece as Buffer);
  return { status: response.statusCode ?? 0, headers: response.headers, body: Buffer.concat(pieces).toString() };
}

/** What tests look at in a JSON-RPC answer; deliberately loose. */
export interface RpcAnswer {
  readonly id?: unknown;
  readonly result?: {
    readonly content?: readonly { readonly type: string; readonly text: string }[];
    readonly isError?: boolean;
    readonly _meta?: Readonly<Record<string, unknown>>;
    readonly [key: string]: unknown;
  };
  readonly error?: { readonly code: number; readonly message: string; readonly data?: unknown };
}

/** An open SSE stream and the way to post to it. */
export class SseClient {
  readonly headers: IncomingHttpHeaders;
  readonly status: number;
  /** Everything that came, as text. */
  raw = '';
  /** Data of every `message` event, parsed. */
  readonly events: (RpcAnswer | RpcAnswer[])[] = [];
  readonly closed: Promise<void>;
  readonly #target: Target;
  readonly #token: string;
  readonly #response: IncomingMessage;
  #rest = '';
  #wake: (() => void)[] = [];

  constructor(target: Target, token: string, response: IncomingMessage) {
    this.#target = target;
    this.#token = token;
    this.#response = response;
    this.headers = response.headers;
    this.status = response.statusCode ?? 0;
    this.closed = new Promise((done) => response.once('close', done));
    response.on('error', () => undefined);
    response.setEncoding('utf8').on('data', (text: string) => this.#take(text));
  }

  /** Path to post to, from the first event. */
  get endpoint(): string {
    return /^event: endpoint\ndata: (\S+)\n\n/.exec(this.raw)?.[1] ?? '';
  }

  /** Posts and resolves to the acknowledgement. */
  post(body: unknown, headers: OutgoingHttpHeaders = {}): Promise<HttpAnswer> {
    const text = typeof body === 'string' || Buffer.isBuffer(body) ? body : JSON.stringify(body);
    const all = { 'content-type': 'application/json', authorization: `Bearer ${this.#token}`, ...headers };
    return http(this.#target, { method: 'POST', path: this.endpoint, headers: all, body: text });
  }

  /** Posts a request and waits for its answer. */
  async ask(id: string | number, method: string, params?: unknown): Promise<RpcAnswer> {
    const { status, body } = await this.post({ jsonrpc: '2.0', id, method, ...(params === undefined ? {} : { params }) });
    if (status !== 202) throw new Error(`status ${status}: ${body}`);
    return this.answerTo(id);
  }

  call(id: string | number, name: string, args?: unknown): Promise<RpcAnswer> {
    return this.ask(id, 'tools/call', { name, ...(args === undefined ? {} : { arguments: args }) });
  }

  async answerTo(id: unknown): Promise<RpcAnswer> {
    return this.until(() => this.events.flat().find((event) => event.id === id));
  }

  /** Waits, up to half a minute (machines are slow under load), until the condition holds. */
  async until<T>(condition: () => T | undefined): Promise<T> {
    const late = performance.now() + 30_000;
    for (let value = condition(); ; value = condition()) {
      if (value !== undefined) return value;
      if (performance.now() > late) throw new Error(`nothing came of it: ${this.raw.slice(-200)}`);
      await Promise.race([new Promise<void>((done) => this.#wake.push(done)), new Promise((done) => setTimeout(done, 20))]);
    }
  }

  pause(): void {
    this.#response.pause();
    this.#response.socket.pause();
  }

  resume(): void {
    this.#response.socket.resume();
    this.#response.resume();
  }

  close(): void {
    this.#response.destroy();
  }

  #take(text: string): void {
    if (this.raw.length < 1_000_000) this.raw += text;
    this.#rest += text;
    for (let end = this.#rest.indexOf('\n\n'); end !== -1; end = this.#rest.indexOf('\n\n')) {
      const block = this.#rest.slice(0, end);
      this.#rest = this.#rest.slice(end + 2);
      if (block.startsWith('event: message\ndata: ')) this.events.push(JSON.parse(block.slice(21)) as RpcAnswer);
    }
    for (const wake of this.#wake.splice(0)) wake();
  }
}

/** Opens a stream; waits for the endpoint where it was opened. */
export async function openSse(target: Target, token: string, ask: Partial<Ask> = {}): Promise<SseClient> {
  const headers = { authorization: `Bearer ${token}`, ...ask.headers };
  const client = new SseClient(target, token, await send(target, { path: '/sse', ...ask, headers }));
  if (client.status === 200) await client.until(() => (client.endpoint === '' ? undefined : true));
  return client;
}

/** A request that any session answers with an empty result. */
export const ping = (id: unknown): object => ({ jsonrpc: '2.0', id, method: 'ping' });
