/** For unit tests alone: requests of the revision without sessions, with everything that must be in them. */
import type { OutgoingHttpHeaders } from 'node:http';
import type { Target } from './client.ts';
import { postMcp, type McpAnswer } from './mcp-client.ts';

export const MODERN = '2026-07-28';
const PREFIX = 'io.modelcontextprotocol/';

/** The members that say everything about a request. */
export const ENVELOPE: Readonly<Record<string, unknown>> = {
  [`${PREFIX}protocolVersion`]: MODERN,
  [`${PREFIX}clientCapabilities`]: {},
  [`${PREFIX}clientInfo`]: { name: 'test', version: '1' },
};

type Params = Readonly<Record<string, unknown>>;

export function modernBody(method: string, params: Params = {}, id: string | number = 1): Params {
  return { jsonrpc: '2.0', id, method, params: { ...params, _meta: { ...ENVELOPE, ...(params['_meta'] as Params) } } };
}

export function modernHeaders(method: string, { name, uri }: Params = {}): OutgoingHttpHeaders {
  const named = name ?? uri;
  const own = { 'mcp-protocol-version': MODERN, 'mcp-method': method };
  return typeof named === 'string' ? { ...own, 'mcp-name': named } : own;
}

/** A request as it should be, with other headers where they are given. */
export function askModern(
  target: Target,
  method: string,
  params: Params = {},
  headers: OutgoingHttpHeaders = {},
): Promise<McpAnswer> {
  return postMcp(target, modernBody(method, params), { ...modernHeaders(method, params), ...headers });
}
