/**
 * Streamable HTTP without a session (revision 2026-07-28): every request is one POST that says all about itself, and hanging up
 * stops the work. Raw on purpose: client libraries drop the members of tool entries that the command line is made of.
 */
import type { IncomingMessage } from 'node:http';
import { EventReader, type ServerEvent } from './events.ts';
import { errorBody, HttpClient, wholeBody } from './http.ts';
import { httpFailure, rpcFailure } from './answers.ts';
import type { Progress, RequestOptions, Target } from './target.ts';
import { CliError, unreachable } from '../exit.ts';
import { isObject, type JsonObject } from '../grammar/argument.ts';
import { VERSION } from '../version.ts';

export const REVISION = '2026-07-28';

/** The server has no such endpoint, or not of this revision: the older transport may do. */
export class NotServed extends Error {}

/** Statuses with which a server without this revision answers its first request. */
const FOREIGN: readonly unknown[] = [400, 404, 405, 406, 415];

const ENVELOPE: JsonObject = {
  'io.modelcontextprotocol/protocolVersion': REVISION,
  'io.modelcontextprotocol/clientCapabilities': {},
  'io.modelcontextprotocol/clientInfo': { name: 'stewardctl', version: VERSION },
};

/** A header value; what a header cannot carry goes as base64. */
function headerValue(text: string): string {
  if (/^[\x21-\x7e]+$/.test(text) && !text.startsWith('=?')) return text;
  return `=?base64?${Buffer.from(text, 'utf8').toString('base64')}?=`;
}

function namedBy(params: JsonObject): Record<string, string> {
  const name = params['name'] ?? params['uri'];
  return typeof name === 'string' ? { 'mcp-name': headerValue(name) } : {};
}

function parse(text: string): unknown {
  try {
    return JSON.parse(text);
  } catch {
    return undefined;
  }
}

export class Stateless {
  readonly #http: HttpClient;
  /** Headers of the last answer. */
  headers: IncomingMessage['headers'] = {};
  #known = false;
  #next = 1;

  constructor(target: Target) {
    this.#http = new HttpClient(target);
  }

  /**
   * Sends a request and waits for its result.
   *
   * Rejects with CliError, or with NotServed when the very first answer says that this revision is not spoken here.
   */
  async request(method: string, params: JsonObject, { signal, progress }: RequestOptions): Promise<JsonObject> {
    signal?.throwIfAborted();
    const id = this.#next++;
    const _meta = { ...ENVELOPE, ...(progress === undefined ? {} : { progressToken: id }) };
    const url = this.#http.at('/mcp');
    const reply = await this.#http.send('POST', url, {
      headers: {
        'content-type': 'application/json',
        accept: 'application/json, text/event-stream',
        'mcp-protocol-version': REVISION,
        'mcp-method': method,
        ...namedBy(params),
      },
      body: JSON.stringify({ jsonrpc: '2.0', id, method, params: { ...params, _meta } }),
      signal,
    });
    this.headers = reply.headers;
    if (reply.statusCode !== 200) throw this.#refusal(url, reply.statusCode ?? 0, await errorBody(reply));
    this.#known = true;
    try {
      return resultOf(await answerIn(reply, progress));
    } catch (error) {
      throw signal?.aborted === true ? signal.reason : error;
    }
  }

  #refusal(url: URL, status: number, body: string): Error {
    if (!this.#known && FOREIGN.includes(status)) return new NotServed();
    const message = parse(body);
    return isObject(message) && isObject(message['error']) ? rpcFailure(message['error']) : httpFailure(url, status, body);
  }

  close(): void {
    this.#http.close();
  }
}

/** The message that answers: the body, or the last one of an event stream. */
async function answerIn(reply: IncomingMessage, progress: RequestOptions['progress']): Promise<unknown> {
  if (reply.headers['content-type']?.startsWith('text/event-stream') !== true) return parse(await wholeBody(reply));
  let answer: unknown;
  const reader = new EventReader((event) => {
    const message = messageIn(event);
    if (isObject(message) && message['method'] === 'notifications/progress') progress?.(noticeOf(message['params']));
    else if (isObject(message) && !('method' in message)) answer = message;
  });
  try {
    for await (const piece of reply as AsyncIterable<Buffer>) reader.push(piece);
  } catch (error) {
    throw error instanceof CliError ? error : unreachable('the connection broke');
  }
  if (answer === undefined) throw unreachable('the server closed the connection');
  return answer;
}

function messageIn(event: ServerEvent): unknown {
  return event.name === 'message' ? parse(event.data) : undefined;
}

function noticeOf(params: unknown): Progress {
  const { progress, message } = isObject(params) ? params : {};
  return { progress: typeof progress === 'number' ? progress : 0, message: typeof message === 'string' ? message : '' };
}

function resultOf(message: unknown): JsonObject {
  if (!isObject(message)) throw unreachable('the server sent an answer that is not JSON');
  if (isObject(message['result'])) return message['result'];
  throw rpcFailure(message['error']);
}
