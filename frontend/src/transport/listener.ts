/**
 * Listening sockets and the HTTP server behind them. Each fresh connection is looked at before TLS, because clients that speak
 * plain HTTP to a TLS port deserve an answer. Trusted with bounds on headers, time and silence.
 */
import {
  createServer as createHttpServer,
  type IncomingMessage,
  type Server as HttpServer,
  type ServerResponse,
} from 'node:http';
import { createServer as createHttpsServer, type Server as HttpsServer } from 'node:https';
import { createServer, Socket, type AddressInfo, type Server } from 'node:net';
import { parseListen } from '@steward/shared/config/network.ts';
import { TransientMap } from '@steward/shared/transient-map.ts';
import { refuseBroken } from './hang-up.ts';
import { HELLO_MS, sniff } from './sniff.ts';
import { Strangers } from './strangers.ts';
import { UserConnections } from './user-connections.ts';

export interface TlsPair {
  /** PEM. */
  readonly cert: string;
  readonly key: string;
}

export interface ListenerOptions {
  /** Absent: plain HTTP. */
  readonly tls: TlsPair | undefined;
  readonly minVersion: '1.2' | '1.3';
  readonly serve: (request: IncomingMessage, response: ServerResponse, expectsContinue: boolean) => void;
  /** Serves a request that asks for a WebSocket. `head`: what came behind the request already. */
  readonly upgrade: (request: IncomingMessage, socket: Socket, head: Buffer) => void;
  /** Sessions that one user may have. */
  readonly sessionsPerUser: () => number;
  /** Told about plain HTTP on the TLS port. */
  readonly plain?: (address: string) => void;
}

const LIMITS = {
  /** Bytes of a request's head; more is answered 431. */
  maxHeaderSize: 64 * 1024,
  headersTimeout: 15_000,
  /** The least patience of all: bodies have a stricter rule of their own. */
  requestTimeout: 600_000,
  connectionsCheckingInterval: 5_000,
  /** Told to clients in every answer: they are to close an idle connection before. Longer than most keep one anyway. */
  keepAliveTimeout: 90_000,
  /** How much longer it is kept, so that even one who is late does not send into a connection that is being closed. */
  keepAliveTimeoutBuffer: 30_000,
  /** Other upgrades (h2c, which some clients offer on plain HTTP) are ignored, and the request is served as it is. */
  shouldUpgradeCallback: ({ headers }: IncomingMessage): boolean => headers.upgrade?.toLowerCase() === 'websocket',
} as const;
/** Idle time after which the kernel asks whether the other side is still there. */
const TCP_KEEP_ALIVE_MS = 60_000;

export class Listener {
  readonly #options: ListenerOptions;
  readonly #http: HttpServer | HttpsServer;
  readonly #servers: Server[] = [];
  readonly #sockets = new TransientMap<Socket, true>();
  readonly #strangers = new Strangers();
  readonly #recognised: UserConnections;

  constructor(options: ListenerOptions) {
    this.#options = options;
    this.#recognised = new UserConnections(options.sessionsPerUser);
    const { serve, upgrade } = options;
    this.#http = makeServer(options);
    this.#http.on('request', (request, response) => serve(request, response, false));
    this.#http.on('upgrade', (request, socket, head) => {
      // It is the one that was accepted; only its type is wider.
      if (socket instanceof Socket) upgrade(request, socket, head);
      else socket.destroy();
    });
    this.#http.on('checkContinue', (request, response) => serve(request, response, true));
    this.#http.on('clientError', refuseBroken);
  }

  /**
   * Listens on one `address:port`. False when this host does not have the address's family. Rejects with the system error
   * otherwise.
   */
  async listen(where: string): Promise<boolean> {
    const parsed = parseListen(where);
    if (parsed === undefined) throw new Error(`not an address:port: ${where}`);
    const server = createServer({ allowHalfOpen: true, noDelay: true }, (socket) => this.#accept(socket));
    const { promise, resolve, reject } = Promise.withResolvers<boolean>();
    server.once('error', (error: NodeJS.ErrnoException) => {
      if (error.code === 'EAFNOSUPPORT' || (error.code === 'EADDRNOTAVAIL' && parsed.address === '::')) resolve(false);
      else reject(error);
    });
    server.listen({ host: parsed.address, port: parsed.port, ipv6Only: true }, () => resolve(true));
    const listening = await promise;
    if (listening) this.#servers.push(server);
    server.on('error', () => undefined); // a connection that could not be accepted concerns nobody else
    return listening;
  }

  /** Where it listens, as `address:port`. */
  get addresses(): readonly string[] {
    return this.#servers.map((server) => {
      const { address, family, port } = server.address() as AddressInfo;
      return family === 'IPv6' ? `[${address}]:${port}` : `${address}:${port}`;
    });
  }

  /** A renewed certificate, for new connections. */
  renew(tls: TlsPair): void {
    if ('setSecureContext' in this.#http) {
      this.#http.setSecureContext({ ...tls, minVersion: `TLSv${this.#options.minVersion}` });
    }
  }

  /** It is known who is at the other end of a request's connection; false when this user has too many. */
  recognise(connection: Socket, user: string): boolean {
    const stranger = this.#strangers.recognise(connection);
    return stranger === undefined || this.#recognised.add(user, stranger);
  }

  /** Takes no further connections and closes those that are idle. */
  stop(): void {
    for (const server of this.#servers) server.close();
    this.#http.closeIdleConnections();
  }

  /** Closes every connection. */
  destroy(): void {
    for (const socket of [...this.#sockets.keys()]) socket.destroy();
  }

  #accept(socket: Socket): void {
    this.#sockets.set(socket, true);
    this.#strangers.add(socket);
    socket.once('close', () => this.#sockets.delete(socket));
    socket.on('error', () => undefined); // reset by the other side: `close` follows
    socket.setKeepAlive(true, TCP_KEEP_ALIVE_MS);
    if (this.#options.tls === undefined) this.#http.emit('connection', socket);
    else {
      sniff(socket, {
        tls: () => this.#http.emit('connection', socket),
        plain: () => this.#options.plain?.(socket.remoteAddress ?? ''),
      });
    }
  }
}

function makeServer({ tls, minVersion }: ListenerOptions): HttpServer | HttpsServer {
  if (tls === undefined) return createHttpServer(LIMITS);
  const version = { minVersion: `TLSv${minVersion}`, handshakeTimeout: HELLO_MS, ALPNProtocols: ['http/1.1'] } as const;
  const server = createHttpsServer({ ...LIMITS, ...tls, ...version });
  return server.on('tlsClientError', (_error, socket) => socket.destroy());
}
