/**
 * HTTP requests with the token, over sockets that `trust.ts` has judged and no others. What the messages say is the business of
 * those who send them.
 */
import { request as plainRequest, type Agent, type ClientRequest, type IncomingMessage } from 'node:http';
import { request as secureRequest } from 'node:https';
import type { Target } from './target.ts';
import { connectionError, trustedAgent } from './trust.ts';
import { CliError, unreachable } from '../exit.ts';

/** Longest body of an HTTP error that is read, in UTF-16 units. */
const MAX_ERROR_BODY = 64 * 1024;
/** Longest answer that is kept; a string of Node ends at twice that. */
const MAX_BODY = 256 * 1024 * 1024;

/** The body of a refusal, cut where it is too long. */
export async function errorBody(reply: IncomingMessage): Promise<string> {
  let text = '';
  for await (const piece of reply.setEncoding('utf8')) {
    text += piece as string;
    if (text.length > MAX_ERROR_BODY) break;
  }
  return text;
}

/** The whole body of an answer. Rejects with CliError (exit code 3) when it breaks off or is too large. */
export async function wholeBody(reply: IncomingMessage): Promise<string> {
  const pieces: Buffer[] = [];
  let length = 0;
  try {
    for await (const piece of reply as AsyncIterable<Buffer>) {
      length += piece.length;
      if (length > MAX_BODY) throw unreachable('the answer is too large for this program');
      pieces.push(piece);
    }
  } catch (error) {
    throw error instanceof CliError ? error : unreachable('the connection broke');
  }
  return Buffer.concat(pieces).toString('utf8');
}

export interface Sent {
  readonly headers?: Readonly<Record<string, string>>;
  readonly body?: string;
  /** Hangs up, before the answer or in the midst of it. */
  readonly signal?: AbortSignal | undefined;
}

export class HttpClient {
  readonly url: URL;
  readonly #token: string;
  readonly #agent: Agent;

  constructor(target: Target) {
    this.url = target.url;
    this.#token = target.token;
    this.#agent = trustedAgent(target.url, target.trust);
  }

  /** The address of an endpoint of the daemon. */
  at(path: string): URL {
    return new URL(this.url.pathname.replace(/\/$/, '') + path, this.url);
  }

  /** Starts one request; resolves to the head of its answer. Rejects with CliError (exit code 3), or the reason of the signal. */
  send(method: string, url: URL, { headers, body, signal }: Sent): Promise<IncomingMessage> {
    return new Promise((done, fail) => {
      const own = {
        authorization: `Bearer ${this.#token}`,
        ...(body === undefined ? {} : { 'content-length': Buffer.byteLength(body) }),
      };
      const options = { method, agent: this.#agent, headers: { ...own, ...headers }, signal };
      const outgoing: ClientRequest =
        url.protocol === 'https:' ? secureRequest(url, options, done) : plainRequest(url, options, done);
      outgoing.on('error', (error) => {
        const reason: unknown = signal?.aborted === true ? signal.reason : error;
        fail(reason instanceof CliError ? reason : connectionError(url, reason));
      });
      outgoing.end(body);
    });
  }

  close(): void {
    this.#agent.destroy();
  }
}
