/**
 * What a client may send, told apart strictly: requests, notifications, responses, and everything else. Nothing here knows a
 * method or a transport. Trusted with ids: what is echoed is exactly what was sent, or the message is refused.
 */
import { invalidRequest, parseError, type RpcError } from './errors.ts';

export type Id = string | number;

/** Bytes of a string id. */
const MAX_ID_BYTES = 1024;
/** Members of one batch. */
export const MAX_BATCH = 100;

export interface Request {
  readonly kind: 'request';
  readonly id: Id;
  readonly method: string;
  /** Whatever was given; absent and null are undefined. */
  readonly params: unknown;
}
export interface Notification {
  readonly kind: 'notification';
  readonly method: string;
  readonly params: unknown;
}
/** An answer to a request that we never sent. */
export interface Response {
  readonly kind: 'response';
}
/** A message that cannot be served. With a readable id it can be answered. */
export interface Unfit {
  readonly kind: 'unfit';
  readonly id: Id | undefined;
  readonly error: RpcError;
}
export type Message = Request | Notification | Response | Unfit;

export interface Batch {
  readonly kind: 'batch';
  readonly members: readonly Message[];
}

/**
 * One body: a message or a batch of them. Throws RpcError when it cannot be told what was meant: -32700 for text that is not
 * JSON, -32600 for a batch that is empty, too long, or holds an initialize.
 */
export function readMessages(text: string): Message | Batch {
  const value = parse(text);
  if (!Array.isArray(value)) return readMessage(value);
  if (value.length === 0) throw invalidRequest('empty batch');
  if (value.length > MAX_BATCH) throw invalidRequest(`more than ${MAX_BATCH} messages in a batch`);
  const members = value.map(readMessage);
  if (members.some((member) => member.kind === 'request' && member.method === 'initialize')) {
    throw invalidRequest('initialize cannot be part of a batch');
  }
  return { kind: 'batch', members };
}

function parse(text: string): unknown {
  try {
    return JSON.parse(text) as unknown;
  } catch {
    throw parseError();
  }
}

/** Judges one parsed message. */
export function readMessage(value: unknown): Message {
  if (typeof value !== 'object' || value === null || Array.isArray(value)) return unfit(undefined, 'not an object');
  const member = (name: string): unknown =>
    Object.hasOwn(value, name) ? (value as Readonly<Record<string, unknown>>)[name] : undefined;
  const hasId = Object.hasOwn(value, 'id');
  const id = member('id');
  if (hasId && !isId(id)) return unfit(undefined, 'id must be a string or an integer');
  const known = isId(id) ? id : undefined;
  if (member('jsonrpc') !== '2.0') return unfit(known, 'jsonrpc must be "2.0"');
  const method = member('method');
  if (method === undefined && (Object.hasOwn(value, 'result') || Object.hasOwn(value, 'error'))) {
    return readResponse(value, known);
  }
  if (typeof method !== 'string') return unfit(known, 'method must be a string');
  const params = member('params') ?? undefined;
  return known === undefined ? { kind: 'notification', method, params } : { kind: 'request', id: known, method, params };
}

function readResponse(value: object, id: Id | undefined): Message {
  const both = Object.hasOwn(value, 'result') && Object.hasOwn(value, 'error');
  return both || id === undefined ? unfit(undefined, 'a response has an id and either result or error') : { kind: 'response' };
}

function unfit(id: Id | undefined, reason: string): Unfit {
  return { kind: 'unfit', id, error: invalidRequest(reason) };
}

/** Numbers beyond 2^53 - 1 are not ids: parsing has rounded them already, and another number must never be answered. */
function isId(value: unknown): value is Id {
  if (typeof value === 'string') return value.length <= MAX_ID_BYTES && Buffer.byteLength(value) <= MAX_ID_BYTES;
  return Number.isSafeInteger(value);
}
