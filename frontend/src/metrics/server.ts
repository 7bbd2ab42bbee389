/**
 * GET /metrics on a loopback address of its own, plain HTTP without a token: whoever may open a socket on this host may read it,
 * and it says nothing of anybody. Trusted with nothing else.
 */
import { createServer, type IncomingMessage, type Server, type ServerResponse } from 'node:http';
import { parseListen } from '@steward/shared/config/network.ts';
import type { Metrics } from './metrics.ts';

const LIMITS = { maxHeaderSize: 8192, headersTimeout: 5000, requestTimeout: 5000, connectionsCheckingInterval: 2500 };
/** Scrapers that may be connected at once. */
const MAX_CONNECTIONS = 16;
/** A page of the web that had its name pointed here sends its own name. */
const LOCAL_HOST = /^(localhost|127(\.\d{1,3}){3}|\[::1\])(:\d{1,5})?$/i;

export class MetricsServer {
  readonly #server: Server;

  constructor(metrics: Metrics) {
    this.#server = createServer(LIMITS, (request, response) => {
      // A figure that cannot be read must not end the process that serves clients.
      serve(metrics, request, response).catch(() => response.destroy());
    });
    this.#server.maxConnections = MAX_CONNECTIONS;
  }

  /** Listens on `address:port` and resolves to where. Rejects with the system error. */
  listen(where: string): Promise<string> {
    const parsed = parseListen(where);
    if (parsed === undefined) return Promise.reject(new Error(`not an address:port: ${where}`));
    return new Promise((resolve, reject) => {
      this.#server.once('error', reject);
      this.#server.listen({ host: parsed.address, port: parsed.port }, () => {
        this.#server.off('error', reject).on('error', () => undefined); // a connection that could not be accepted
        const address = this.#server.address();
        const port = typeof address === 'object' && address !== null ? address.port : parsed.port;
        resolve(`${where.slice(0, where.lastIndexOf(':'))}:${port}`);
      });
    });
  }

  close(): void {
    this.#server.close();
    this.#server.closeAllConnections();
  }
}

async function serve(metrics: Metrics, request: IncomingMessage, response: ServerResponse): Promise<void> {
  request.resume();
  const [path] = (request.url ?? '').split('?');
  if (!LOCAL_HOST.test(request.headers.host ?? '')) return answer(response, 403, 'this is for programs of this host\n');
  if (path !== '/metrics') return answer(response, 404, 'only /metrics is here\n');
  if (request.method !== 'GET' && request.method !== 'HEAD') return answer(response, 405, 'GET only\n');
  const { body, type } = await metrics.text();
  answer(response, 200, body, type);
}

function answer(response: ServerResponse, status: number, body: string, type = 'text/plain; charset=utf-8'): void {
  response.writeHead(status, { 'Content-Type': type, 'Cache-Control': 'no-store', 'X-Content-Type-Options': 'nosniff' });
  response.end(body);
}
