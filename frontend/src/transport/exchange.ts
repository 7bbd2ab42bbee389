/** One HTTP request and its answer, with what every handler needs to know about it. */
import { randomFillSync } from 'node:crypto';
import type { IncomingMessage, ServerResponse } from 'node:http';
import type { Socket } from 'node:net';
import type { Duplex } from 'node:stream';

export interface Exchange {
  readonly request: IncomingMessage;
  readonly response: ServerResponse;
  /** Id in the access line, in audit records and in failures. */
  readonly id: string;
  /** Address of the client, IPv4 never in its IPv6 form. */
  readonly address: string;
  /** Path as it came, without the query. */
  readonly path: string;
  /** The query as it came, without its question mark. */
  readonly search: string;
  /** The client waits for `100 Continue` before it sends the body. */
  readonly expectsContinue: boolean;
  /** Hands the connection over to another protocol, once; present on requests that ask for it. Nothing is answered by HTTP then. */
  readonly takeSocket: (() => Upgraded | undefined) | undefined;
  /** Told when it is known who is asking on a connection; false when the user has too many, and this one is not to be served. */
  readonly recognised: (connection: Socket, user: string) => boolean;
  /** The whole body has been read, although HTTP may not have seen the end of the request yet. */
  bodyRead: boolean;
  /** Who it turned out to be, for the access line. */
  user: string;
}

/** A connection that has left HTTP, and what had been read of it already. */
export interface Upgraded {
  readonly socket: Duplex;
  readonly head: Buffer;
}

/**
 * `recognised` is to be one function for all exchanges: with one for each, every request outlived its answer until the whole heap was
 * collected (`--trace-gc` shows what each small collection leaves).
 */
export function newExchange(
  request: IncomingMessage,
  response: ServerResponse,
  { recognised, expectsContinue, takeSocket }: Pick<Exchange, 'recognised' | 'expectsContinue' | 'takeSocket'>,
): Exchange {
  const url = originForm(request.url ?? '/');
  const mark = url.indexOf('?');
  return {
    request,
    response,
    id: newRequestId(),
    address: (request.socket.remoteAddress ?? '').replace(/^::ffff:(?=\d+\.)/, ''),
    path: mark === -1 ? url : url.slice(0, mark),
    search: mark === -1 ? '' : url.slice(mark + 1),
    expectsContinue,
    takeSocket,
    recognised,
    bodyRead: false,
    user: '',
  };
}

/** Clients that take this for a proxy name it in the target; a server has to understand that (RFC 9112 section 3.2.2). */
function originForm(target: string): string {
  return target.startsWith('/') ? target : target.replace(/^https?:\/\/[^/?#]*/i, '');
}

/** A query of one value in which nothing is escaped, as nearly all are. */
const SINGLE = /^(\w+)=([\w-]*)$/;

/** A value of the query; null when there is none. */
export function queryValue({ search }: Exchange, name: string): string | null {
  const single = SINGLE.exec(search);
  if (single !== null) return single[1] === name ? (single[2] ?? '') : null;
  return search === '' ? null : new URLSearchParams(search).get(name);
}

const ID_BYTES = 8;
/** Random bytes for the next ids: asking for them one id at a time costs several times as much. */
const random = Buffer.alloc(128 * ID_BYTES);
let used = random.length;

function newRequestId(): string {
  if (used === random.length) {
    randomFillSync(random);
    used = 0;
  }
  used += ID_BYTES;
  return random.toString('hex', used - ID_BYTES, used);
}

/** Bytes of the client's own name that are passed on. */
const MAX_CLIENT = 256;

/** The client's own name, in printable ASCII. */
export function clientName({ request }: Exchange): string {
  return (request.headers['user-agent'] ?? '').replace(/[^\x20-\x7e]/g, '?').slice(0, MAX_CLIENT);
}
