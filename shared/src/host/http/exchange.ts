/**
 * Sends one request to addresses that were judged before, on a connection of its own: no agent, no reuse, no proxy, no look-up.
 */
import { once } from 'node:events';
import { request as httpRequest, type IncomingMessage } from 'node:http';
import type { Socket } from 'node:net';
import { connect as connectTls, createSecureContext, getCACertificates, type SecureContext } from 'node:tls';
import { connectToAny, type Connection } from '../connect.ts';
import type { Destination } from '../destination.ts';
import type { TimeLimit } from '../time-limit.ts';
import { canonicalName } from './headers.ts';
import { targetOf, type HttpRequest } from './request.ts';

export interface ExchangeOptions {
  /** Whom the URL names: what the server's certificate must be for. */
  readonly host: Destination;
  readonly addresses: readonly string[];
  /** Accept any certificate. */
  readonly insecure: boolean;
  readonly limit: TimeLimit;
}

/** An answer whose body has not been read. Destroy it when enough of it has been. */
export interface Exchange {
  readonly response: IncomingMessage;
  close(): void;
}

/** Rejects with raw system, TLS and parse errors, or with the limit's reason. */
export async function exchange(request: HttpRequest, options: ExchangeOptions): Promise<Exchange> {
  const secure = request.url.protocol === 'https:';
  const { limit, addresses } = options;
  const port = Number(request.url.port) || (secure ? 443 : 80);
  const connection = await connectToAny(addresses, port, limit);
  const close = (): void => void connection.socket.destroy();
  // Whatever happens later has been reported to whoever waited; a late error must not end the process.
  connection.socket.on('error', () => undefined);
  limit.signal.addEventListener('abort', close, { once: true });
  try {
    const socket = secure ? await encrypted(connection, options) : connection.socket;
    return { response: await answerTo(request, socket), close };
  } catch (error) {
    close();
    throw limit.isOver() ? limit.reason : error;
  }
}

async function encrypted({ socket, address }: Connection, { host, insecure, limit }: ExchangeOptions): Promise<Socket> {
  const secure = connectTls({
    socket,
    // Without a name the certificate must be for the address.
    host: address,
    servername: host.isAddress ? '' : host.name,
    secureContext: hostContext(),
    rejectUnauthorized: !insecure,
    ALPNProtocols: ['http/1.1'],
  });
  secure.on('close', () => socket.destroy());
  await once(secure, 'secureConnect', { signal: limit.signal });
  secure.on('error', () => undefined);
  return secure;
}

let context: SecureContext | undefined;

/** Trusts whom this host trusts (OpenSSL's default store), else whom the runtime does. Made once: reading the store takes long. */
function hostContext(): SecureContext {
  if (context !== undefined) return context;
  const trusted = getCACertificates('system');
  context = createSecureContext(trusted.length === 0 ? {} : { ca: trusted });
  return context;
}

function answerTo(request: HttpRequest, socket: Socket): Promise<IncomingMessage> {
  const { method, url, headers, body } = request;
  const host = headers.get('host') ?? url.host;
  const sent = { ...Object.fromEntries([...headers].map(([name, value]) => [canonicalName(name), value])), Host: host };
  const length = body === undefined ? {} : { 'Content-Length': Buffer.byteLength(body) };
  const options = {
    method,
    path: targetOf(url),
    headers: { ...sent, ...length },
    setHost: false,
    createConnection: () => socket,
  };
  return new Promise((resolve, reject) => {
    const client = httpRequest(options);
    client.on('response', resolve).on('error', reject);
    client.end(body);
  });
}
