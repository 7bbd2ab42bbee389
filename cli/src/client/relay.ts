/**
 * Carries messages between standard streams and the daemon's WebSocket, one line for one message, and looks into none of them but
 * to know what is still without an answer. The token goes only on sockets that `trust.ts` has judged.
 */
import { createInterface } from 'node:readline';
import type { IncomingMessage } from 'node:http';
import { WebSocket } from 'ws';
import { connectionError, trustedAgent } from './trust.ts';
import { httpFailure } from './answers.ts';
import type { Target } from './target.ts';
import { CliError, unreachable } from '../exit.ts';
import { isObject } from '../grammar/argument.ts';
import type { Io } from '../io.ts';

/** Bytes on their way to the daemon beyond which no further lines are read. */
const MAX_BUFFERED = 4 * 1024 * 1024;
/** Milliseconds for which answers are awaited after the host has closed our input. */
const LINGER_MS = 30_000;
const NORMAL = 1000;

/**
 * Relays until the host closes standard input or the signal fires. Rejects with CliError when there is no connection, or none any
 * more.
 *
 * @param names `underscore`: lists tools under names without a slash
 */
export async function relay(target: Target, io: Io, names: string | undefined): Promise<void> {
  const socket = await connect(target, names);
  const ended = Promise.withResolvers<void>();
  const open = new OpenRequests(() => socket.close(NORMAL));
  socket.on('message', (data: Buffer) => {
    const line = data.toString('utf8');
    io.stdout.write(`${line}\n`);
    open.received(line);
  });
  socket.on('error', () => undefined); // `close` follows and tells
  socket.once('close', (code, reason) => {
    if (code === NORMAL || io.signal.aborted) ended.resolve();
    else
      ended.reject(unreachable(`the server closed the connection (${code}${reason.length > 0 ? ` ${reason.toString()}` : ''})`));
  });
  io.signal.addEventListener('abort', () => socket.terminate(), { once: true });
  void forward(io, socket, open);
  await ended.promise;
}

/** Sends each line of the input; at its end waits for what is still to be answered. */
async function forward(io: Io, socket: WebSocket, open: OpenRequests): Promise<void> {
  for await (const line of createInterface({ input: io.stdin, crlfDelay: Infinity })) {
    if (line.trim() === '') continue;
    open.sent(line);
    socket.send(line);
    while (socket.bufferedAmount > MAX_BUFFERED) await new Promise((done) => setTimeout(done, 10));
  }
  open.finish();
}

/** Requests without an answer, so that none is lost when the host has said its last. */
class OpenRequests {
  readonly #ids = new Set<string>();
  readonly #close: () => void;
  #last = false;

  constructor(close: () => void) {
    this.#close = close;
  }

  sent(line: string): void {
    for (const message of messagesIn(line)) {
      if ('method' in message && 'id' in message) this.#ids.add(JSON.stringify(message['id']));
      const { params } = message;
      // Nothing answers a request that was cancelled.
      if (message['method'] === 'notifications/cancelled' && isObject(params))
        this.#ids.delete(JSON.stringify(params['requestId']));
    }
  }

  received(line: string): void {
    for (const message of messagesIn(line)) if (!('method' in message)) this.#ids.delete(JSON.stringify(message['id']));
    if (this.#last && this.#ids.size === 0) this.#close();
  }

  /** Nothing more will be sent. */
  finish(): void {
    this.#last = true;
    if (this.#ids.size === 0) this.#close();
    else setTimeout(this.#close, LINGER_MS).unref();
  }
}

function messagesIn(line: string): readonly Readonly<Record<string, unknown>>[] {
  try {
    return [JSON.parse(line) as unknown].flat().filter(isObject);
  } catch {
    return []; // the server says what is wrong with it
  }
}

function connect({ url, trust, token }: Target, names: string | undefined): Promise<WebSocket> {
  const address = new URL(`${url.pathname.replace(/\/$/, '')}/ws`, url);
  if (names !== undefined) address.searchParams.set('names', names);
  const { promise, resolve, reject } = Promise.withResolvers<WebSocket>();
  const socket = new WebSocket(address.href.replace(/^http/, 'ws'), 'mcp', {
    agent: trustedAgent(url, trust),
    headers: { Authorization: `Bearer ${token}` },
    followRedirects: false,
  });
  const failed = (error: Error): void => reject(error instanceof CliError ? error : connectionError(url, error));
  socket.once('error', failed);
  socket.once('unexpected-response', (_request, response: IncomingMessage) => {
    response.resume();
    reject(httpFailure(address, response.statusCode ?? 0, response.statusMessage ?? ''));
    socket.terminate();
  });
  socket.once('open', () => {
    socket.off('error', failed);
    resolve(socket);
  });
  return promise;
}
