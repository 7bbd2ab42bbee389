/**
 * What becomes of a request before any endpoint sees it: the rule about origins first, then path and method. Trusted with the
 * promise that nothing which is refused here has had an effect.
 */
import { CODES } from '../rpc/errors.ts';
import { answerEmpty, answerJson, answerText } from './answer.ts';
import { discardBody } from './body.ts';
import { allowOrigin, preflightHeaders } from './cors.ts';
import { closing } from './gate.ts';
import type { Exchange } from './exchange.ts';
import type { OriginRule } from './origin.ts';

export type Handler = (exchange: Exchange) => void | Promise<void>;

/** Name under which an endpoint takes requests that ask for another protocol on the connection. */
const UPGRADE = 'UPGRADE';

/** Handlers of one path by method. */
export type Endpoint = Readonly<Record<string, Handler>>;

export interface RouterOptions {
  readonly endpoints: ReadonlyMap<string, Endpoint>;
  /** The rule in force. */
  readonly origins: () => OriginRule;
  /** Told when a handler fails; the request is answered 500. */
  readonly failed: (error: unknown, exchange: Exchange) => void;
}

/** For clients that look for an authorization server and show people what they find. */
const STATIC_TOKENS =
  'not found: this server uses static bearer tokens, not OAuth; pass one with the header Authorization: Bearer <token>';

function methodOf({ request, takeSocket }: Exchange): string {
  const method = request.method ?? '';
  if (takeSocket !== undefined && method === 'GET') return UPGRADE;
  return method === UPGRADE ? '' : method;
}

/** As clients are told: what asks for another protocol is a GET to them. */
function methodsOf(endpoint: Endpoint): string {
  return Object.keys(endpoint)
    .filter((name) => name !== UPGRADE)
    .join(', ');
}

export class Router {
  readonly #options: RouterOptions;

  constructor(options: RouterOptions) {
    this.#options = options;
  }

  /** Serves one request. Never rejects. */
  async serve(exchange: Exchange): Promise<void> {
    try {
      await this.#route(exchange);
    } catch (error) {
      this.#options.failed(error, exchange);
      answerText(exchange.response, 500, `internal error (request ${exchange.id})`, closing(exchange));
    }
    // Every handler has answered or hung up; a body that nobody read must not hold the connection.
    if (exchange.response.writableEnded && !exchange.bodyRead) discardBody(exchange.request);
  }

  #route(exchange: Exchange): void | Promise<void> {
    const { request, response, path } = exchange;
    const { origin } = request.headers;
    if (!this.#options.origins().permits(origin)) {
      const error = { code: CODES.invalidRequest, message: 'this Origin may not use this server' };
      return answerJson(response, 403, { jsonrpc: '2.0', error }, closing(exchange));
    }
    if (origin !== undefined) allowOrigin(response, origin);
    const endpoint = this.#options.endpoints.get(path);
    if (endpoint === undefined) return answerJson(response, 404, { error: STATIC_TOKENS }, closing(exchange));
    const method = methodOf(exchange);
    if (method === 'OPTIONS') return answerEmpty(response, preflightHeaders(origin, methodsOf(endpoint)));
    const handler = Object.hasOwn(endpoint, method) ? endpoint[method] : undefined;
    if (handler === undefined) {
      return answerText(response, 405, 'method not allowed', { Allow: methodsOf(endpoint), ...closing(exchange) });
    }
    return handler(exchange);
  }
}
