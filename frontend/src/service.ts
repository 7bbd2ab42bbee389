/**
 * Puts the parts together: once the broker has said hello, a service that listens, serves and follows reloads. Nothing here
 * decides anything; it only says who talks to whom.
 */
import { X509Certificate } from 'node:crypto';
import type { IncomingMessage, ServerResponse } from 'node:http';
import type { Socket } from 'node:net';
import { StewardError } from '@steward/shared/errors.ts';
import type { ReloadReport } from '@steward/shared/ipc/messages.ts';
import { makeDispatcher, type ServiceParts } from './assembly.ts';
import { reloadText } from './render/reload.ts';
import { Authenticator } from './session/auth.ts';
import { RateLimiter } from './session/rate.ts';
import { Sessions } from './session/sessions.ts';
import { newExchange, type Exchange } from './transport/exchange.ts';
import { Listener, type TlsPair } from './transport/listener.ts';
import { OriginRule } from './transport/origin.ts';
import { Router, type Endpoint } from './transport/router.ts';
import type { TransportServices } from './transport/services.ts';
import { liveEndpoint } from './transport/live.ts';
import { mcpEndpoint } from './transport/mcp/endpoint.ts';
import { openStream, postMessage } from './transport/sse.ts';
import { upgradeExchange } from './transport/upgrade.ts';
import { socketEndpoint } from './transport/websocket.ts';

/** How often identities that nobody uses are looked for. */
const SWEEP_MS = 60_000;

export class Service {
  readonly #parts: ServiceParts;
  readonly #sessions = new Sessions();
  readonly #authenticator: Authenticator;
  readonly #router: Router;
  readonly #listener: Listener;
  readonly #recognised = (connection: Socket, user: string): boolean => this.#listener.recognise(connection, user);
  readonly #sweep: NodeJS.Timeout;
  #origins: OriginRule;
  #stopping = false;

  constructor(parts: ServiceParts) {
    const { link, log, settings, tls } = parts;
    this.#parts = parts;
    this.#authenticator = new Authenticator(link);
    const services: TransportServices = {
      authenticator: this.#authenticator,
      sessions: this.#sessions,
      dispatcher: makeDispatcher(parts),
      rate: new RateLimiter(),
      config: () => settings.config,
      stopping: () => this.#stopping,
      dropped: (user, reason) => log.warn('stream dropped', { user, reason }),
    };
    const { server } = settings.config;
    this.#origins = originsOf(server.allowed_origins, tls);
    this.#router = new Router({
      endpoints: endpointsOf(services),
      origins: () => this.#origins,
      failed: (error, { id }) => log.error('request failed', error, { request: id }),
    });
    this.#listener = new Listener({
      tls,
      minVersion: server.tls.min_version,
      serve: (request, response, expectsContinue) => this.#serve(request, response, expectsContinue),
      upgrade: (request, socket, head) => this.#upgrade(request, socket, head),
      sessionsPerUser: () => settings.config.limits.max_sessions_per_user,
      plain: (client) => log.info('plain HTTP on the TLS port', { client }),
    });
    this.#sweep = setInterval(() => this.#sweepIdle(), SWEEP_MS).unref();
    settings.onChange((config) => log.configure(config.logging));
  }

  /** Listens on all addresses; those of a family that this host lacks are left out. Resolves to where it listens. */
  async listen(addresses: readonly string[]): Promise<readonly string[]> {
    for (const address of addresses) {
      if (!(await this.#listener.listen(address))) this.#parts.log.warn('address not available here', { address });
    }
    return this.#listener.addresses;
  }

  /** A reload is in force: sessions of these tokens are over, everybody else is asked about again. */
  reloaded(closed: readonly { user: string; token: string }[], report: ReloadReport): void {
    this.#authenticator.reloaded(closed);
    this.#sessions.endOf(closed);
    for (const session of this.#sessions.all()) session.toolsChanged?.();
    this.#parts.log.info('configuration reloaded', { report: reloadText(report) });
  }

  /** How many sessions are open. */
  get sessions(): number {
    return this.#sessions.size;
  }

  /** A renewed certificate came with a new broker; its names are origins. */
  renewTls(tls: TlsPair): void {
    this.#listener.renew(tls);
    this.#origins = originsOf(this.#parts.settings.config.server.allowed_origins, tls);
  }

  /**
   * Stops: no new connections or sessions, running calls get `graceMs` to end well and are then answered with an error, streams
   * end after what is queued.
   */
  async stop(graceMs: number): Promise<void> {
    this.#stopping = true;
    this.#listener.stop();
    const end = performance.now() + graceMs;
    const idle = (): boolean => this.#sessions.all().every(({ conversation }) => conversation.running === 0);
    while (!idle() && performance.now() < end) await new Promise((done) => setTimeout(done, 20));
    const reason = new StewardError('shutting_down');
    for (const { conversation } of this.#sessions.all()) conversation.abort(reason);
    const flushed = Promise.all(this.#sessions.all().map((session) => settled(() => session.finish(), idle)));
    await Promise.race([flushed, new Promise((done) => setTimeout(done, FLUSH_MS))]);
    clearInterval(this.#sweep);
    this.#listener.destroy();
    this.#parts.link.close();
    await this.#parts.pool.close();
  }

  #sweepIdle(): void {
    this.#authenticator.sweep();
    this.#sessions.endIdle(this.#parts.settings.config.limits.session_idle_seconds * 1000);
  }

  #serve(request: IncomingMessage, response: ServerResponse, expectsContinue: boolean): void {
    const began = performance.now();
    const exchange = newExchange(request, response, { recognised: this.#recognised, expectsContinue, takeSocket: undefined });
    response.on('close', () => this.#ended(exchange, began));
    void this.#router.serve(exchange);
  }

  /** Until the connection has left HTTP, or for good when it may not, the request is one like any other. */
  #upgrade(request: IncomingMessage, socket: Socket, head: Buffer): void {
    const began = performance.now();
    const exchange = upgradeExchange(request, socket, head, this.#recognised);
    void this.#router.serve(exchange).then(() => this.#ended(exchange, began));
  }

  #ended(exchange: Exchange, began: number): void {
    const line = accessLine(exchange, began);
    this.#parts.log.access(line);
    this.#parts.metrics.requested(line.status);
  }
}

/** Pages of these origins are served, and those of the names in our certificate. */
function originsOf(allowed: readonly string[], tls: TlsPair | undefined): OriginRule {
  return new OriginRule(allowed, tls === undefined ? undefined : new X509Certificate(tls.cert));
}

/** How long the last answers may take to go out when the process ends. */
const FLUSH_MS = 500;

/** Ends a stream once its calls have answered their abort. */
async function settled(end: () => Promise<void>, idle: () => boolean): Promise<void> {
  for (let tries = 0; !idle() && tries < FLUSH_MS / 20; tries += 1) await new Promise((done) => setTimeout(done, 20));
  await end();
}

function endpointsOf(services: TransportServices): ReadonlyMap<string, Endpoint> {
  return new Map<string, Endpoint>([
    ['/sse', { GET: (exchange) => openStream(exchange, services) }],
    ['/mcp', mcpEndpoint(services)],
    ['/ws', socketEndpoint(services)],
    ['/audit/live', liveEndpoint(services)],
    ['/message', { POST: (exchange) => postMessage(exchange, services) }],
  ]);
}

/** Longest part of a path that the log shows. */
const MAX_URI = 200;

function accessLine({ request, response, address, user, path, id }: Exchange, began: number) {
  return {
    client: address,
    user,
    method: request.method ?? '',
    uri: path.slice(0, MAX_URI),
    status: response.headersSent || response.statusCode === 101 ? response.statusCode : 0,
    duration_ms: Math.round(performance.now() - began),
    request: id,
  };
}
