/**
 * A session with a daemon that has no newer transport (revision 2024-11-05): JSON-RPC requests by POST, their answers by id on an
 * event stream.
 */
import type { IncomingMessage } from 'node:http';
import { EventReader, type ServerEvent } from './events.ts';
import { errorBody, HttpClient } from './http.ts';
import { httpFailure, rpcFailure } from './answers.ts';
import type { Target } from './target.ts';
import { unreachable } from '../exit.ts';
import { isObject, type JsonObject } from '../grammar/argument.ts';

interface Waiting {
  done(result: JsonObject): void;
  fail(error: Error): void;
}

export class Session {
  readonly url: URL;
  /** Headers of the answer to `GET /sse`. */
  headers: IncomingMessage['headers'] = {};
  readonly #http: HttpClient;
  readonly #waiting = new Map<string, Waiting>();
  #endpoint: URL | undefined;
  #stream: IncomingMessage | undefined;
  #ended: Error | undefined;
  #next = 1;

  private constructor(target: Target) {
    this.url = target.url;
    this.#http = new HttpClient(target);
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

  async #open(): Promise<void> {
    const url = this.#http.at('/sse');
    const reply = await this.#http.send('GET', url, { headers: { accept: 'text/event-stream', 'cache-control': 'no-store' } });
    if (reply.statusCode !== 200) throw httpFailure(url, reply.statusCode ?? 0, await errorBody(reply));
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
    const endpoint = URL.parse(data, this.#http.at('/sse').href);
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
    const reply = await this.#http.send('POST', this.#endpoint, { headers: { 'content-type': 'application/json' }, body });
    const text = await errorBody(reply);
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
    this.#http.close();
  }
}
