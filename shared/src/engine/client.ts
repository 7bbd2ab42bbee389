/**
 * Speaks to the container engine: finds its version, sends requests under it, and turns what comes back into JSON of a bounded size
 * or an error of the registry. Trusted with root's way to the engine; routes.ts decides what may be asked.
 */
import type { IncomingMessage } from 'node:http';
import { abortError, checkAbort } from '../abort.ts';
import { errnoOf, reasonOf, StewardError } from '../errors.ts';
import { CappedBytes } from '../host/capped-bytes.ts';
import type { Engine, EngineRequest, Outgoing, Transport } from './engine.ts';
import { PING_ROUTE, requestLine } from './routes.ts';

/** Bytes of one JSON answer. Parsing this much holds up the event loop no longer than it may be. */
export const MAX_ANSWER = 8 * 1024 * 1024;
/** Bytes of an error's text that are read. */
const MAX_ERROR = 16 * 1024;
/** Characters of an error's text that are passed on. */
const MAX_REASON = 1000;
// eslint-disable-next-line no-control-regex -- control characters are what is replaced
const CONTROL = /[\u0000-\u001f\u007f-\u009f]+/g;
/** The oldest version whose answers have everything that is asked of them. */
const OLDEST_MINOR = 41;

/** Asks the engine on `socketPath` for its version. Rejects as Engine says. */
export async function openEngine(transport: Transport, socketPath: string, signal: AbortSignal): Promise<Engine> {
  const send = sender(transport, socketPath);
  const answer = await send({ ...requestLine(PING_ROUTE, undefined), body: undefined, signal });
  const version = answer.headers['api-version'];
  answer.destroy();
  const minor = /^1\.(\d{1,3})$/.exec(typeof version === 'string' ? version : '')?.[1];
  if (minor === undefined) throw new StewardError('docker_broken', { reason: 'it names no API version' });
  if (Number(minor) < OLDEST_MINOR) throw new StewardError('docker_too_old', { version: `1.${minor}` });
  return new EngineClient(Number(minor), send);
}

type Send = (request: Outgoing) => Promise<IncomingMessage>;

/** Sends; rejects for everything that is no answer and for every status of 400 and more. */
function sender(transport: Transport, socketPath: string): Send {
  return async (request) => {
    checkAbort(request.signal);
    let answer: IncomingMessage;
    try {
      answer = await transport(request);
    } catch (error) {
      throw request.signal.aborted ? abortError(request.signal) : unreachable(socketPath, error);
    }
    // Whoever reads is told; when nobody does any more, a late error must not end the process.
    answer.on('error', () => undefined);
    if ((answer.statusCode ?? 0) < 400) return answer;
    throw await refusal(answer, request.signal);
  };
}

function unreachable(path: string, error: unknown): StewardError {
  const errno = errnoOf(error);
  if (errno === 'ENOENT' || errno === 'ECONNREFUSED') return new StewardError('docker_socket_missing', { path });
  if (errno === 'EACCES' || errno === 'EPERM' || errno === 'ENOTSOCK') {
    return new StewardError('docker_unreachable', { path, reason: reasonOf(error) });
  }
  return broken(error);
}

function broken(error: unknown): StewardError {
  const reason = errnoOf(error) === undefined ? 'its answer is no HTTP' : reasonOf(error);
  return new StewardError('docker_broken', { reason }, { cause: error });
}

/** What the engine says about a request that failed, without anything that could disturb a log or a terminal. */
async function refusal(answer: IncomingMessage, signal: AbortSignal): Promise<StewardError> {
  const status = answer.statusCode ?? 0;
  const kept = new CappedBytes(MAX_ERROR);
  for await (const piece of pieces(answer, signal)) if (kept.add(piece)) break;
  const said = kept.bytes.toString('utf8');
  const text = messageOf(said).replace(CONTROL, ' ').trim().slice(0, MAX_REASON);
  const key = status === 404 ? 'docker_not_found' : status === 409 ? 'docker_conflict' : 'docker_api';
  return new StewardError(key, { status, text: text.toWellFormed() });
}

function messageOf(said: string): string {
  try {
    const { message, cause } = JSON.parse(said) as { message?: unknown; cause?: unknown };
    return [message, cause].find((one) => typeof one === 'string') ?? said;
  } catch {
    return said;
  }
}

/** The body in pieces, as it comes. Rejects with the signal's reason, or with `docker_broken` when it breaks off. */
async function* pieces(answer: IncomingMessage, signal: AbortSignal): AsyncGenerator<Buffer> {
  const stop = (): void => void answer.destroy();
  signal.addEventListener('abort', stop);
  try {
    checkAbort(signal);
    for await (const piece of answer) yield piece as Buffer;
    checkAbort(signal);
  } catch (error) {
    if (error instanceof StewardError) throw error;
    throw signal.aborted ? abortError(signal) : new StewardError('docker_broken', { reason: 'its answer breaks off' });
  } finally {
    signal.removeEventListener('abort', stop);
    answer.destroy();
  }
}

class EngineClient implements Engine {
  readonly minor: number;
  readonly #send: Send;

  constructor(minor: number, send: Send) {
    this.minor = minor;
    this.#send = send;
  }

  async read(request: EngineRequest): Promise<unknown> {
    const kept = new CappedBytes(MAX_ANSWER);
    for await (const piece of await this.stream(request)) {
      if (kept.add(piece)) throw new StewardError('docker_too_large', { limit: MAX_ANSWER / 1024 / 1024 });
    }
    try {
      return JSON.parse(kept.bytes.toString('utf8')) as unknown;
    } catch (error) {
      throw new StewardError('docker_broken', { reason: 'its answer is no JSON' }, { cause: error });
    }
  }

  async act(request: EngineRequest): Promise<'ok' | 'unchanged'> {
    const answer = await this.#answer(request);
    let read = 0;
    // What the engine says about something done is of no use; but it is done only when the answer is complete.
    for await (const piece of pieces(answer, request.signal)) if ((read += piece.length) > MAX_ERROR) break;
    return answer.statusCode === 304 ? 'unchanged' : 'ok';
  }

  async stream(request: EngineRequest): Promise<AsyncIterable<Buffer>> {
    return pieces(await this.#answer(request), request.signal);
  }

  #answer({ route, object, query, body, signal }: EngineRequest): Promise<IncomingMessage> {
    const { method, path } = requestLine(route, object, query);
    return this.#send({ method, path: `/v1.${String(this.minor)}${path}`, body, signal });
  }
}
