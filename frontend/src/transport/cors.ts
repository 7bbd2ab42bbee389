/** What a browser is told when a page of an allowed origin asks (Fetch standard, CORS protocol). */
import type { ServerResponse } from 'node:http';

const REQUEST_HEADERS =
  'Authorization, Content-Type, Accept, Mcp-Session-Id, MCP-Protocol-Version, Mcp-Method, Mcp-Name, Last-Event-ID';

/** Lets the page read the answer. The origin must have been judged. */
export function allowOrigin(response: ServerResponse, origin: string): void {
  response.setHeader('Access-Control-Allow-Origin', origin);
  response.setHeader('Access-Control-Expose-Headers', 'Mcp-Session-Id, WWW-Authenticate');
  response.setHeader('Vary', 'Origin');
}

/** Headers of the answer to OPTIONS; without an origin only what is allowed. */
export function preflightHeaders(origin: string | undefined, methods: string): Readonly<Record<string, string>> {
  if (origin === undefined) return { Allow: `${methods}, OPTIONS` };
  return {
    'Access-Control-Allow-Methods': methods,
    'Access-Control-Allow-Headers': REQUEST_HEADERS,
    'Access-Control-Max-Age': '600',
  };
}
