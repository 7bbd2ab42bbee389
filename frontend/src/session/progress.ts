/**
 * Progress of one request, for a client that gave a token for it: counts that only grow, not too many of them, and none after the
 * answer.
 */
import type { ProgressSink } from '../rpc/dispatcher.ts';
import type { JsonNode } from '../rpc/json-stream.ts';

/** Least time between two notices, in milliseconds. */
const PAUSE_MS = 100;

type Token = string | number;

export class Progress {
  readonly #token: Token;
  readonly #notify: (notice: JsonNode) => void;
  #last = -Infinity;
  #at = -Infinity;
  #over = false;

  private constructor(token: Token, notify: (notice: JsonNode) => void) {
    this.#token = token;
    this.#notify = notify;
  }

  /** Undefined when these params ask for none, or there is no way for it. */
  static of(params: unknown, notify: ((notice: JsonNode) => void) | undefined): Progress | undefined {
    const token = progressToken(params);
    return token === undefined || notify === undefined ? undefined : new Progress(token, notify);
  }

  readonly sink: ProgressSink = (progress, message) => {
    const now = performance.now();
    if (this.#over || progress <= this.#last || now - this.#at < PAUSE_MS) return;
    this.#last = progress;
    this.#at = now;
    const params = { progressToken: this.#token, progress, message };
    this.#notify({ jsonrpc: '2.0', method: 'notifications/progress', params });
  };

  /** The answer is made. */
  stop(): void {
    this.#over = true;
  }
}

/** The token in `params._meta`: a string or an integer. */
export function progressToken(params: unknown): Token | undefined {
  const meta = member(params, '_meta');
  const token = member(meta, 'progressToken');
  return typeof token === 'string' || Number.isSafeInteger(token) ? (token as Token) : undefined;
}

function member(value: unknown, name: string): unknown {
  if (typeof value !== 'object' || value === null || !Object.hasOwn(value, name)) return undefined;
  return (value as Readonly<Record<string, unknown>>)[name];
}
