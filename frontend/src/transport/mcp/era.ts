/**
 * Tells requests of the newest revision, which say all about themselves, from those that belong to a session. What a request says
 * twice (headers for those who route it, members for those who serve it) must agree.
 */
import type { IncomingHttpHeaders } from 'node:http';
import { CODES, RpcError, invalidParams, invalidRequest } from '../../rpc/errors.ts';
import type { Batch, Message, Request } from '../../rpc/message.ts';
import { MCP_VERSIONS, MODERN_VERSION, isLegacyVersion } from '../../rpc/versions.ts';

const PREFIX = 'io.modelcontextprotocol/';
const VERSION_KEY = `${PREFIX}protocolVersion`;
const CAPABILITIES_KEY = `${PREFIX}clientCapabilities`;

/** Which member of the params a request is also named by, by method. */
const NAMED_BY: Readonly<Record<string, string>> = { 'tools/call': 'name', 'prompts/get': 'name', 'resources/read': 'uri' };

/** Throws RpcError for a message of the newest revision that is not as it must be; it is answered 400. */
export function eraOf(body: Message | Batch, headers: IncomingHttpHeaders): 'legacy' | 'modern' {
  if (body.kind === 'batch') {
    const modern = body.members.some((member) => isCall(member) && envelopeVersion(member.params) === MODERN_VERSION);
    if (modern) throw invalidRequest('this revision has no batches');
    return 'legacy';
  }
  if (!isCall(body)) return 'legacy';
  const version = envelopeVersion(body.params);
  if (version === undefined) return eraWithoutEnvelope(body, headers);
  if (typeof version !== 'string') throw invalidParams(`_meta["${VERSION_KEY}"] must be a string`);
  if (isLegacyVersion(version)) return 'legacy';
  if (version !== MODERN_VERSION) {
    // Said differently in two places it is a contradiction, whatever it is.
    if (headerOf(headers, 'mcp-protocol-version') !== undefined) checkVersionHeader(headers, version);
    throw unsupported(version);
  }
  if (body.kind === 'request') checkRequest(body, headers);
  return 'modern';
}

type Call = Extract<Message, { readonly params: unknown }>;

function isCall(message: Message): message is Call {
  return message.kind === 'request' || message.kind === 'notification';
}

function eraWithoutEnvelope({ kind, method }: Call, headers: IncomingHttpHeaders): 'legacy' | 'modern' {
  if (headerOf(headers, 'mcp-protocol-version') !== MODERN_VERSION || method === 'initialize') return 'legacy';
  if (kind === 'notification') return 'modern';
  throw invalidParams(`_meta["${VERSION_KEY}"] is missing`);
}

function checkRequest({ method, params }: Request, headers: IncomingHttpHeaders): void {
  const capabilities = membersOf(membersOf(params)['_meta'])[CAPABILITIES_KEY];
  if (typeof capabilities !== 'object' || capabilities === null || Array.isArray(capabilities)) {
    throw invalidParams(`_meta["${CAPABILITIES_KEY}"] must be an object`);
  }
  checkVersionHeader(headers, MODERN_VERSION);
  checkHeader('Mcp-Method', headerOf(headers, 'mcp-method'), method);
  const member = Object.hasOwn(NAMED_BY, method) ? NAMED_BY[method] : undefined;
  const name = member === undefined ? undefined : membersOf(params)[member];
  if (typeof name === 'string') checkHeader('Mcp-Name', decoded(headerOf(headers, 'mcp-name')), name);
}

function checkVersionHeader(headers: IncomingHttpHeaders, version: string): void {
  checkHeader('MCP-Protocol-Version', headerOf(headers, 'mcp-protocol-version'), version);
}

function checkHeader(name: string, given: string | undefined, expected: string): void {
  if (given === expected) return;
  const reason = given === undefined ? 'is missing' : 'does not say what the body says';
  throw new RpcError(CODES.headerMismatch, `Header mismatch: ${name} ${reason}`);
}

/** Several headers of one name are one that nobody meant. */
function headerOf(headers: IncomingHttpHeaders, name: string): string | undefined {
  const value = headers[name];
  return typeof value === 'string' ? value.trim() : value?.join(', ');
}

/** Values that a header cannot carry come as `=?base64?...?=`. What is not decodable is left as it is, and so equals nothing. */
function decoded(value: string | undefined): string | undefined {
  const base64 = value === undefined ? undefined : /^=\?base64\?([A-Za-z0-9+/]+={0,2})\?=$/.exec(value)?.[1];
  if (base64 === undefined) return value;
  const bytes = Buffer.from(base64, 'base64');
  if (bytes.toString('base64') !== base64) return value;
  try {
    return new TextDecoder('utf-8', { fatal: true, ignoreBOM: true }).decode(bytes);
  } catch {
    return value;
  }
}

/** The revision that a request says it is of; undefined when it says none. */
function envelopeVersion(params: unknown): unknown {
  return membersOf(membersOf(params)['_meta'])[VERSION_KEY];
}

function unsupported(requested: string): RpcError {
  const details = { supported: MCP_VERSIONS, requested };
  return new RpcError(CODES.unsupportedVersion, 'Unsupported protocol version', undefined, details);
}

function membersOf(value: unknown): Readonly<Record<string, unknown>> {
  return typeof value === 'object' && value !== null ? (value as Readonly<Record<string, unknown>>) : {};
}
