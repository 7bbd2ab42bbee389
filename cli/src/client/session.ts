/**
 * One session with the daemon: JSON-RPC requests by POST, their answers by id on an event stream. Raw on purpose: client
 * libraries drop the members of tool entries that the command line is made of.
 *
 * Holds the token for as long as the session lives and sends it only on sockets that `trust.ts` has judged.
 */
import { request as plainRequest, type Agent, type ClientRequest, type IncomingMessage } from 'node:http';
import { request as secureRequest } from 'node:https';
import { EventReader, type ServerEvent } from './events.ts';
import { connectionError, trustedAgent, type Trust } from './trust.ts';
import { httpFailure, rpcFailure } from './answers.ts';
import { CliError, unreachable } from '../exit.ts';
import { isObject, type JsonObject } from '../grammar/argument.ts';

/** Where to connect and as whom. */
export interface Target {
  /** Base address, without `/sse`. */
  readonly url: URL;
  readonly trust: Trust;
  readonly token: string;
}

interface Waiting {
  done(result: JsonObject): void;
  fail(error: Error): void;
}

/** Longest body of an HTTP error that is read. */
const MAX_ERROR_BODY = 64 * 1024;

async function bodyOf(reply: IncomingMessage): Promise<string> {
  let text = '';
  for await (const piece of reply.setEncoding('utf8')) {
    text += piece as string;
    if (text.length > MAX_ERROR_BODY) break;
  }
  return text;
}

export class Session {
  readonly url: URL;
  /** Headers of the answer to `GET /sse`. */
  headers: IncomingMessage['headers'] = {};
  readonly #token: string;
  readonly #agent: Agent;
  readonly #waiting = new Map<string, Waiting>();
  #endpoint: URL | undefined;
  #stream: IncomingMessage | undefined;
  #ended: Error | undefined;
  #next = 1;

  private constructor(target: Target) {
    this.url = target.url;
    this.#token = target.token;
    this.#agent = trustedAgent(target.url, target.trust);
  }

  /** Opens the stream and waits for its `endpoint` event. Rejects with CliError (exit codes 3 and 4). */
  static async open(target: Target): Promise<Session> {
    const session = new Session(target);
    try {
      await session.#open();
      return session;
    } catch (error) {
      session.close();
      throw error;
    }
  }

  #path(path: string): URL {
    return new URL(this.url.pathname.replace(/\/$/, '') + path, this.url);
  }

  /** Starts one HTTP request with the token; resolves to the head of its answer. */
  #send(method: string, url: URL, headers: Record<string, string>, body?: string): Promise<IncomingMessage> {
    return new Promise((done, fail) => {
      const options = { method, agent: this.#agent, headers: { authorization: `Bearer ${this.#token}`, ...headers } };
      const outgoing: ClientRequest =
        url.protocol === 'https:' ? secureRequest(url, options, done) : plainRequest(url, options, done);
      outgoing.on('error', (error) => fail(error instanceof CliError ? error : connectionError(url, error)));
      outgoing.end(body);
    });
  }

  async #open(): Promise<void> {
    const url = this.#path('/sse');
    const reply = await this.#send('GET', url, { accept: 'text/event-stream', 'cache-control': 'no-store' });
    if (reply.statusCode !== 200) throw httpFailure(url, reply.statusCode ?? 0, await bodyOf(reply));
    if (reply.headers['content-type']?.startsWith('text/event-stream') !== true) {
      throw unreachable(`${url.href} is no event stream: is this a steward?`);
    }
    this.headers = reply.headers;
    this.#stream = reply;
    await new Promise<void>((opened, fail) => {
      this.#waiting.set('', { done: () => opened(), fail });
      const reader = new EventReader((event) => this.#take(event));
      reply.on('data', (bytes: Buffer) => {
        try {
          reader.push(bytes);
        } catch (error) {
          this.#end(error instanceof Error ? error : new Error(String(error)));
        }
      });
      reply.once('error', () => this.#end(unreachable('the connection broke')));
      reply.once('close', () => this.#end(unreachable('the server closed the connection')));
    });
  }

  #take(event: ServerEvent): void {
    if (event.name === 'endpoint') {
      this.#takeEndpoint(event.data);
      return;
    }
    if (event.name !== 'message') return;
    let message: unknown;
    try {
      message = JSON.parse(event.data);
    } catch {
      throw unreachable('the server sent an answer that is not JSON');
    }
    for (const one of Array.isArray(message) ? (message as unknown[]) : [message]) this.#answer(one);
  }

  /** The address for requests. It must be on the same server: the token goes there. */
  #takeEndpoint(data: string): void {
    const endpoint = URL.parse(data, this.#path('/sse').href);
    if (endpoint?.origin !== this.url.origin) throw unreachable('the server named an endpoint on another server');
    this.#endpoint = endpoint;
    this.#settle('')?.done({});
  }

  #answer(message: unknown): void {
    if (!isObject(message)) return;
    const waiting = this.#settle(typeof message['id'] === 'string' ? message['id'] : undefined);
    if (waiting === undefined) return;
    if (isObject(message['result'])) waiting.done(message['result']);
    else waiting.fail(rpcFailure(message['error']));
  }

  #settle(id: string | undefined): Waiting | undefined {
    if (id === undefined) return undefined;
    const waiting = this.#waiting.get(id);
    this.#waiting.delete(id);
    return waiting;
  }

  #end(error: Error): void {
    this.#ended ??= error;
    for (const waiting of this.#waiting.values()) waiting.fail(this.#ended);
    this.#waiting.clear();
    this.#stream?.destroy();
  }

  async #post(message: JsonObject): Promise<void> {
    if (this.#ended !== undefined || this.#endpoint === undefined) throw this.#ended ?? unreachable('the session is not open');
    const body = JSON.stringify({ jsonrpc: '2.0', ...message });
    const reply = await this.#send('POST', this.#endpoint, { 'content-type': 'application/json' }, body);
    const text = await bodyOf(reply);
    if (reply.statusCode !== 202) throw httpFailure(this.#endpoint, reply.statusCode ?? 0, text);
  }

  /**
   * Sends a request and waits for its answer.
   *
   * @param signal when it fires, the server is told to stop the work and the promise rejects with the signal's reason
   */
  async request(method: string, params?: JsonObject, signal?: AbortSignal): Promise<JsonObject> {
    signal?.throwIfAborted();
    const id = String(this.#next++);
    let stop: () => void = () => undefined;
    const answer = new Promise<JsonObject>((done, fail) => {
      this.#waiting.set(id, { done, fail });
      stop = () => void this.#cancel(id, signal).then(fail);
      signal?.addEventListener('abort', stop, { once: true });
    });
    this.#post({ id, method, ...(params === undefined ? {} : { params }) }).catch((error: unknown) =>
      this.#settle(id)?.fail(error instanceof Error ? error : unreachable(String(error))),
    );
    try {
      return await answer;
    } finally {
      signal?.removeEventListener('abort', stop);
    }
  }

  /** Tells the server to stop a request; half a second is enough for that, a dead server must not hold up Ctrl-C. */
  async #cancel(id: string, signal: AbortSignal | undefined): Promise<Error> {
    this.#settle(id);
    const told = this.notify('notifications/cancelled', { requestId: id, reason: 'interrupted by the user' }).catch(
      () => undefined,
    );
    let timer: NodeJS.Timeout | undefined;
    await Promise.race([told, new Promise((late) => (timer = setTimeout(late, 500)))]);
    clearTimeout(timer);
    return signal?.reason instanceof Error ? signal.reason : unreachable('the call was stopped');
  }

  async notify(method: string, params?: JsonObject): Promise<void> {
    await this.#post({ method, ...(params === undefined ? {} : { params }) });
  }

  /** Ends the session; the server stops what is still running for it. */
  close(): void {
    this.#end(unreachable('the session was closed'));
    this.#agent.destroy();
  }
}
