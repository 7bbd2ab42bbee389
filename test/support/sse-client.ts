/** A small MCP client over HTTPS and SSE for tests: raw JSON-RPC, nothing hidden, every event kept. */
import { request, type IncomingMessage } from 'node:http';
import { request as secureRequest, type Agent, type RequestOptions } from 'node:https';

export interface RpcMessage {
  readonly jsonrpc: '2.0';
  readonly id?: string | number;
  readonly result?: Record<string, unknown>;
  readonly error?: { readonly code: number; readonly message: string; readonly data?: Record<string, unknown> };
}

export interface ToolAnswer {
  readonly text: string;
  readonly isError: boolean;
  /** `steward/code` of a failure. */
  readonly code: string | undefined;
  readonly meta: Record<string, unknown>;
}

export interface SseClient {
  /** Path of the endpoint event. */
  readonly endpoint: string;
  /** Raw text received so far. */
  raw(): string;
  /** Sends a request and waits for its answer. */
  rpc(method: string, params?: unknown, id?: string | number): Promise<RpcMessage>;
  /** Calls a tool; never rejects because of a failure of the tool. */
  call(name: string, args?: Record<string, unknown>): Promise<ToolAnswer>;
  /** Posts any body to this session; resolves to the status. */
  post(body: string | Buffer, headers?: Record<string, string>): Promise<{ status: number; body: string }>;
  /** Every message that came, in order. */
  readonly messages: readonly RpcMessage[];
  /** Settles when the stream ends. */
  readonly ended: Promise<void>;
  close(): void;
}

export interface SseOptions {
  readonly url: string;
  readonly ca?: string;
  readonly token: string;
  readonly path?: string;
  /** Connections for what is posted; without it each message has one of its own. */
  readonly agent?: Agent;
}

interface HttpReply {
  readonly status: number;
  readonly headers: IncomingMessage['headers'];
  readonly body: string;
}

/** One plain HTTP(S) exchange. */
export function exchange(
  options: SseOptions,
  method: string,
  path: string,
  headers: Record<string, string> = {},
  body?: string | Buffer,
): Promise<HttpReply> {
  return new Promise((done, fail) => {
    const outgoing = open(options, options.agent ?? false, method, path, headers, (reply) => {
      const pieces: Buffer[] = [];
      reply.on('data', (piece: Buffer) => pieces.push(piece));
      reply.on('end', () =>
        done({ status: reply.statusCode ?? 0, headers: reply.headers, body: Buffer.concat(pieces).toString('utf8') }),
      );
      reply.on('error', fail);
    });
    outgoing.on('error', fail);
    outgoing.end(body);
  });
}

function open(
  options: SseOptions,
  agent: Agent | false,
  method: string,
  path: string,
  headers: Record<string, string>,
  answered: (reply: IncomingMessage) => void,
) {
  const url = new URL(path, options.url);
  const settings: RequestOptions = {
    method,
    headers: { authorization: `Bearer ${options.token}`, ...headers },
    agent,
    ...(options.ca === undefined ? {} : { ca: options.ca }),
  };
  return url.protocol === 'https:' ? secureRequest(url, settings, answered) : request(url, settings, answered);
}

export async function connectSse(options: SseOptions): Promise<SseClient> {
  const path = options.path ?? '/sse';
  const reply = await new Promise<IncomingMessage>((done, fail) => {
    open(options, false, 'GET', path, { accept: 'text/event-stream' }, done).on('error', fail).end();
  });
  if (reply.statusCode !== 200) {
    reply.destroy();
    throw new Error(`GET ${path} answered ${reply.statusCode}`);
  }
  const messages: RpcMessage[] = [];
  const waiting = new Map<string, (message: RpcMessage) => void>();
  let raw = '';
  let rest = '';
  let endpoint = '';
  let opened: () => void = () => undefined;
  const ready = new Promise<void>((done) => (opened = done));
  const ended = new Promise<void>((done) => reply.once('close', () => done()));
  const take = (message: RpcMessage): void => {
    messages.push(message);
    const key = JSON.stringify(message.id);
    waiting.get(key)?.(message);
    waiting.delete(key);
  };
  reply.setEncoding('utf8').on('data', (text: string) => {
    if (raw.length < 65536) raw += text;
    rest += text;
    for (let end = rest.indexOf('\n\n'); end >= 0; end = rest.indexOf('\n\n')) {
      const event = rest.slice(0, end);
      rest = rest.slice(end + 2);
      const data = event.slice(event.indexOf('\ndata: ') + 7); // not by a pattern: U+2028 would end its line
      if (event.startsWith('event: endpoint')) {
        endpoint = data;
        opened();
      } else if (event.startsWith('event: message')) {
        const parsed = JSON.parse(data) as RpcMessage | RpcMessage[];
        for (const message of Array.isArray(parsed) ? parsed : [parsed]) take(message);
      }
    }
  });
  reply.on('error', () => undefined);
  await ready;

  let next = 0;
  const client: SseClient = {
    get endpoint() {
      return endpoint;
    },
    raw: () => raw,
    messages,
    ended,
    post: async (body, headers = {}) =>
      exchange(options, 'POST', endpoint, { 'content-type': 'application/json', ...headers }, body),
    rpc: async (method, params, id = ++next) => {
      const answer = new Promise<RpcMessage>((done, fail) => {
        waiting.set(JSON.stringify(id), done);
        void ended.then(() => fail(new Error(`the stream ended before the answer to ${method}`)));
      });
      answer.catch(() => undefined);
      const body = JSON.stringify({ jsonrpc: '2.0', id, method, ...(params === undefined ? {} : { params }) });
      const { status, body: text } = await client.post(body);
      if (status !== 202) throw new Error(`POST answered ${status}: ${text}`);
      return answer;
    },
    call: async (name, args = {}) => {
      const message = await client.rpc('tools/call', { name, arguments: args });
      if (message.error !== undefined) throw new Error(`${message.error.code}: ${message.error.message}`);
      const result = message.result as { content: { text: string }[]; isError?: boolean; _meta?: Record<string, unknown> };
      const code = result._meta?.['steward/code'];
      return {
        text: result.content[0]?.text ?? '',
        isError: result.isError === true,
        code: typeof code === 'string' ? code : undefined,
        meta: result._meta ?? {},
      };
    },
    close: () => reply.destroy(),
  };
  return client;
}
