/** For unit tests alone: raw requests to `/mcp`, in a session or without one; nothing is hidden. */
import type { IncomingMessage, OutgoingHttpHeaders } from 'node:http';
import { request } from 'node:http';
import { http, type HttpAnswer, type RpcAnswer, type Target } from './client.ts';

export const BOTH = 'application/json, text/event-stream';

export interface McpAnswer extends HttpAnswer {
  /** Every JSON-RPC message in the answer, of either form. */
  readonly messages: readonly Notice[];
}

/** An answer or a notice. */
export interface Notice extends RpcAnswer {
  readonly method?: string;
  readonly params?: Readonly<Record<string, unknown>>;
}

/** Posts a body. */
export async function postMcp(
  target: Target,
  body: unknown,
  headers: OutgoingHttpHeaders = {},
  path = '/mcp',
): Promise<McpAnswer> {
  const text = typeof body === 'string' || Buffer.isBuffer(body) ? body : JSON.stringify(body);
  const given = { 'content-type': 'application/json', accept: BOTH, authorization: 'Bearer alice', ...headers };
  const all = Object.fromEntries(Object.entries(given).filter(([, value]) => value !== undefined));
  const answer = await http(target, { method: 'POST', path, headers: all, body: text });
  return { ...answer, messages: messagesIn(answer) };
}

function messagesIn({ headers, body }: HttpAnswer): readonly Notice[] {
  const type = headers['content-type'] ?? '';
  if (type.startsWith('application/json')) return [JSON.parse(body) as Notice].flat();
  if (!type.startsWith('text/event-stream')) return [];
  const data = body.split('\n\n').flatMap((block) => /^event: message\ndata: (.*)$/s.exec(block)?.[1] ?? []);
  return data.flatMap((line) => JSON.parse(line) as Notice);
}

/** A session of a revision that has them. */
export class McpSessionClient {
  readonly id: string;
  readonly handshake: McpAnswer;
  readonly #target: Target;
  readonly #headers: OutgoingHttpHeaders;

  constructor(target: Target, handshake: McpAnswer, headers: OutgoingHttpHeaders) {
    this.#target = target;
    this.handshake = handshake;
    this.id = String(handshake.headers['mcp-session-id']);
    this.#headers = { ...headers, 'mcp-session-id': this.id };
  }

  post(body: unknown, headers: OutgoingHttpHeaders = {}): Promise<McpAnswer> {
    return postMcp(this.#target, body, { ...this.#headers, ...headers });
  }

  ask(id: string | number, method: string, params?: unknown, headers: OutgoingHttpHeaders = {}): Promise<McpAnswer> {
    return this.post({ jsonrpc: '2.0', id, method, ...(params === undefined ? {} : { params }) }, headers);
  }

  send(method: string, path = '/mcp', headers: OutgoingHttpHeaders = {}): Promise<HttpAnswer> {
    const all = { authorization: 'Bearer alice', accept: BOTH, ...this.#headers, ...headers };
    return http(this.#target, { method, path, headers: all });
  }

  /** Opens the back channel. */
  stream(headers: OutgoingHttpHeaders = {}): Promise<IncomingMessage> {
    return openStream(this.#target, 'GET', { ...this.#headers, ...headers });
  }
}

/** An answer whose body is left to be read. */
export function openStream(
  { port }: Target,
  method: string,
  headers: OutgoingHttpHeaders,
  body?: unknown,
): Promise<IncomingMessage> {
  const all = { authorization: 'Bearer alice', accept: 'text/event-stream', 'content-type': 'application/json', ...headers };
  return new Promise((done, fail) => {
    const outgoing = request({ host: '127.0.0.1', port, path: '/mcp', method, headers: all, agent: false }, done);
    outgoing.on('error', fail).end(body === undefined ? undefined : JSON.stringify(body));
  });
}

export const initialize = (protocolVersion: unknown = '2025-11-25', id: string | number = 0): object => ({
  jsonrpc: '2.0',
  id,
  method: 'initialize',
  params: { protocolVersion, capabilities: {}, clientInfo: { name: 'test', version: '1' } },
});

export async function openMcp(target: Target, version?: string, headers: OutgoingHttpHeaders = {}): Promise<McpSessionClient> {
  return new McpSessionClient(target, await postMcp(target, initialize(version), headers), headers);
}

/** The data of the messages of a stream, parsed, as they come. */
export async function* noticesOf(stream: IncomingMessage): AsyncGenerator<Notice, undefined> {
  let text = '';
  for await (const piece of stream.setEncoding('utf8')) {
    text += piece as string;
    for (let end = text.indexOf('\n\n'); end !== -1; end = text.indexOf('\n\n')) {
      const data = /^event: message\ndata: (.*)$/s.exec(text.slice(0, end))?.[1];
      text = text.slice(end + 2);
      if (data !== undefined) yield JSON.parse(data) as Notice;
    }
  }
  return undefined;
}
