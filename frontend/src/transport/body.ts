/**
 * Reads the body of a POST: as far as the limit, as deep as the limit, and as slowly as is bearable. What is refused is refused
 * while it arrives, before memory is taken for it.
 */
import type { IncomingMessage } from 'node:http';
import { opensMoreThan } from '@steward/shared/ipc/json.ts';
import { AT_ONCE } from '../next-turn.ts';
import { invalidRequest, parseError } from '../rpc/errors.ts';
import { JsonGauge, MAX_DEPTH, MAX_VALUES } from '../rpc/gauge.ts';

/** Why a body was not taken; `status` is the HTTP answer, undefined when nobody is there to be answered. */
export class BodyError extends Error {
  readonly status: 408 | 413 | undefined;

  constructor(status: BodyError['status'], message: string) {
    super(message);
    this.status = status;
  }
}

/** A body may take this long, and longer by the second for each RATE bytes that have come. */
const PATIENCE_MS = 20_000;
const RATE = 32 * 1024;

/**
 * The whole body as text; a byte order mark is tolerated and left out. Rejects with BodyError, and with RpcError for what is not
 * UTF-8 (-32700) or nests too deeply (-32600). `patienceMs` is for tests.
 */
export function readBody(request: IncomingMessage, maxBytes: number, patienceMs = PATIENCE_MS): Promise<string> {
  const declared = Number(request.headers['content-length'] ?? 0);
  if (declared > maxBytes) return Promise.reject(tooLarge(maxBytes));
  const { promise, resolve, reject } = Promise.withResolvers<string>();
  const text = new BodyText();
  const began = performance.now();
  let size = 0;
  const watch = setInterval(() => {
    const allowed = patienceMs + (size / RATE) * 1000;
    if (performance.now() - began > allowed) reject(new BodyError(408, 'the body came too slowly'));
  }, patienceMs / 10);
  const orReject = (work: () => void): void => {
    try {
      work();
    } catch (error) {
      reject(error);
    }
  };
  const take = (piece: Buffer): void => {
    size += piece.length;
    if (size > maxBytes) reject(tooLarge(maxBytes));
    else orReject(() => text.add(piece));
  };
  const gone = (): void => reject(new BodyError(undefined, 'the client closed the connection'));
  const end = (): void => {
    request.off('close', gone); // a request closes after its end, too
    if (size <= AT_ONCE) orReject(() => resolve(text.whole()));
    else setImmediate(() => orReject(() => setImmediate(resolve, text.whole()))); // the text is made in one turn, and read in the next
  };
  request.on('data', take).once('end', end).once('close', gone).once('error', gone);
  return promise.finally(() => {
    clearInterval(watch);
    request.off('data', take).off('end', end).off('close', gone);
  });
}

const utf8 = new TextDecoder('utf-8', { fatal: true });

/**
 * As `readBody` for a small body that has come already, as most have when it is known who is asking; undefined for any other.
 * Throws what `readBody` rejects with.
 */
export function bodyAtHand(request: IncomingMessage, maxBytes: number): string | undefined {
  const size = request.readableLength;
  const isWhole = request.complete || size === Number(request.headers['content-length']);
  if (!isWhole || size > maxBytes || size > MAX_VALUES) return undefined;
  const bytes = request.read() as Buffer | null;
  const text = bytes === null ? '' : decodeWhole(bytes);
  // So small a text cannot hold too many values.
  if (bytes !== null && opensMoreThan(text, MAX_DEPTH)) judgeDepth(bytes);
  return text;
}

function decodeWhole(bytes: Buffer): string {
  try {
    return utf8.decode(bytes);
  } catch {
    throw parseError();
  }
}

function judgeDepth(bytes: Buffer): void {
  const gauge = new JsonGauge();
  gauge.push(bytes);
  if (gauge.tooMuch) throw tooMuch();
}

function tooMuch(): Error {
  return invalidRequest('nested too deeply, or too many values');
}

/** Bytes to text piece by piece, so that no step takes long however large the body is. */
class BodyText {
  readonly #decoder = new TextDecoder('utf-8', { fatal: true });
  readonly #gauge = new JsonGauge();
  #pieces: string[] = [];

  add(piece: Buffer): void {
    this.#gauge.push(piece);
    if (this.#gauge.tooMuch) throw tooMuch();
    this.#decode(piece);
  }

  whole(): string {
    this.#decode();
    const whole = this.#pieces.join('');
    this.#pieces = [];
    return whole;
  }

  /** Without a piece: the end of the text. */
  #decode(piece?: Buffer): void {
    try {
      this.#pieces.push(this.#decoder.decode(piece, { stream: piece !== undefined }));
    } catch {
      throw parseError();
    }
  }
}

function tooLarge(maxBytes: number): BodyError {
  return new BodyError(413, `the body is larger than ${maxBytes} bytes`);
}

/** How long the rest of a refused body is read away, so that the client sees the answer before the connection closes. */
const LINGER_MS = 1000;

/** After a refusal: reads away what still comes for a moment, then closes. */
export function discardBody(request: IncomingMessage): void {
  if (request.complete) return;
  request.on('error', () => undefined).resume();
  const timer = setTimeout(() => request.socket.destroy(), LINGER_MS);
  request.once('end', () => clearTimeout(timer));
  request.once('close', () => clearTimeout(timer));
}
