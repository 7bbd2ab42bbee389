/**
 * Errors as JSON-RPC carries them. A failure of a tool is a result and never comes here; what does is a request that cannot be
 * served at all, or a resource that could not be read.
 */
import type { StewardError } from '@steward/shared/errors.ts';
import type { JsonNode } from './json-stream.ts';

/** Error numbers of JSON-RPC 2.0 section 5.1, and those that MCP adds. */
export const CODES = {
  parse: -32700,
  invalidRequest: -32600,
  methodNotFound: -32601,
  invalidParams: -32602,
  internal: -32603,
  resourceNotFound: -32002,
  /** Headers of a request are missing or say something else than its body. */
  headerMismatch: -32020,
  /** The client has not said that it can do what the request needs. */
  missingCapability: -32021,
  unsupportedVersion: -32022,
} as const;
export type RpcCode = (typeof CODES)[keyof typeof CODES];

type Details = Readonly<Record<string, JsonNode>>;

/** Thrown to answer a request with a JSON-RPC error. */
export class RpcError extends Error {
  readonly code: RpcCode;
  /** Code of the error registry, for `data`; undefined for errors of the protocol itself. */
  readonly registryCode: string | undefined;
  /** Further members of `data`. */
  readonly details: Details | undefined;

  constructor(code: RpcCode, message: string, registryCode?: string, details?: Details) {
    super(message);
    this.name = 'RpcError';
    this.code = code;
    this.registryCode = registryCode;
    this.details = details;
  }

  /** A registry error under a JSON-RPC number. */
  static of(code: RpcCode, error: StewardError, details?: Details): RpcError {
    return new RpcError(code, error.message, error.code, details);
  }

  /** The `error` member. `request` is the id that the access line and the audit record have too. */
  toNode(request: string): JsonNode {
    const known = this.registryCode === undefined ? undefined : { 'steward/request': request, 'steward/code': this.registryCode };
    const data = known === undefined && this.details === undefined ? undefined : { ...this.details, ...known };
    return { code: this.code, message: this.message, data };
  }
}

export function parseError(): RpcError {
  return new RpcError(CODES.parse, 'Parse error');
}

export function invalidRequest(reason: string): RpcError {
  return new RpcError(CODES.invalidRequest, `Invalid Request: ${reason}`);
}

export function invalidParams(reason?: string): RpcError {
  return new RpcError(CODES.invalidParams, reason === undefined ? 'Invalid params' : `Invalid params: ${reason}`);
}

export function methodNotFound(): RpcError {
  return new RpcError(CODES.methodNotFound, 'Method not found');
}
