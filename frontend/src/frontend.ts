/**
 * The life of the frontend: it waits for its broker's first hello, serves with what that brought, follows every later one, and
 * ends in order. The process around it (signals, exit status) is in main.ts.
 */
import { parseDaemon } from '@steward/shared/config/daemon.ts';
import { isLoopback, parseListen } from '@steward/shared/config/network.ts';
import type { DaemonConfig } from '@steward/shared/config/types.ts';
import { makeGuard } from '@steward/shared/host/guarding.ts';
import type { ServiceParts } from './assembly.ts';
import { BrokerLink } from './broker/link.ts';
import { Reloads } from './broker/reload.ts';
import { Settings } from './broker/settings.ts';
import type { Hello } from './broker/wire.ts';
import type { Destination } from './gather.ts';
import { Log } from './log.ts';
import { Metrics } from './metrics/metrics.ts';
import { MetricsServer } from './metrics/server.ts';
import { Service } from './service.ts';

export interface FrontendOptions extends Pick<ServiceParts, 'catalogue' | 'pool' | 'programs' | 'judge' | 'brokerOperations'> {
  readonly socket: string;
  readonly tableDigest: string;
  /** Instead of the configured addresses, if any. */
  readonly listen: readonly string[];
  /** The process cannot go on; everything is logged already. */
  readonly fatal: (status: number) => void;
  readonly logTo?: Destination;
}

/** Used until the configuration is known. */
const EARLY_LOGGING: DaemonConfig['logging'] = { level: 'info', format: 'text', access_log: true };

export class Frontend {
  readonly #options: FrontendOptions;
  readonly #link: BrokerLink;
  readonly #reloads: Reloads;
  readonly #metrics: Metrics;
  readonly #listening = Promise.withResolvers<readonly string[]>();
  #log: Log;
  #settings: Settings | undefined;
  #service: Service | undefined;
  #metricsServer: MetricsServer | undefined;
  /** A reload was asked for while there was no broker. */
  #reloadWaits = false;

  constructor(options: FrontendOptions) {
    this.#options = options;
    this.#log = new Log(EARLY_LOGGING, options.logTo);
    this.#listening.promise.catch(() => undefined);
    this.#reloads = new Reloads({
      apply: (config) => this.#settings?.apply(config),
      committed: (closed, report) => this.#service?.reloaded(closed, report),
      abandoned: (reason) => this.#log.warn('configuration not reloaded, the current one stays in effect', { reason }),
    });
    this.#link = new BrokerLink({
      path: options.socket,
      tableDigest: options.tableDigest,
      hello: (hello) => this.#greeted(hello),
      reload: (message, wire) => this.#reloads.take(message, wire),
      recorded: (milliseconds) => this.#metrics.recorded(milliseconds),
      report: (message, details) => this.#log.info(message, details),
      pathGone: () => this.#fail('the path of the broker socket is gone', 1),
    });
    this.#metrics = new Metrics({
      sessions: () => this.#service?.sessions ?? 0,
      brokerConnected: () => this.#link.current !== undefined,
      brokerCalls: () => this.#link.current?.calls ?? { running: 0, waiting: 0 },
    });
  }

  get log(): Log {
    return this.#log;
  }

  /** Connects to the broker; resolves to the addresses once it listens. */
  start(): Promise<readonly string[]> {
    this.#link.start();
    return this.#listening.promise;
  }

  /** Asks the broker to read the configuration again, or the next one: that may have read it just before it was changed. */
  reload(): void {
    this.#reloadWaits = this.#link.current?.send({ type: 'reload' }) !== true;
    if (this.#reloadWaits) this.#log.info('the configuration is reloaded when there is a broker', {});
  }

  /** Ends in order: see Service.stop. */
  async stop(graceMs: number): Promise<void> {
    if (this.#service !== undefined) await this.#service.stop(graceMs);
    this.#metricsServer?.close();
    this.#link.close();
  }

  #greeted(hello: Hello): void {
    if (this.#reloadWaits) setImmediate(() => this.reload()); // nothing can be sent before this handler has ended
    const config = parseDaemon(hello.config.text, hello.config.file);
    const guard = makeGuard(hello.protected);
    if (this.#settings === undefined) {
      this.#settings = new Settings(config, guard);
      void this.#serve(this.#settings, hello);
      return;
    }
    // A broker that was started again has read its files again: what changed meanwhile takes effect as by a reload.
    this.#settings.apply(config);
    this.#settings.protect(guard);
    if (hello.tls !== null) this.#service?.renewTls(hello.tls);
  }

  async #serve(settings: Settings, hello: Hello): Promise<void> {
    const { server, logging, metrics } = settings.config;
    if (metrics.listen !== '') this.#metrics.begin();
    this.#log = new Log(logging, this.#options.logTo);
    const addresses = this.#options.listen.length > 0 ? this.#options.listen : server.listen;
    const open = addresses.find((one) => !isLoopback(parseListen(one)?.address ?? ''));
    if (hello.tls === null && open !== undefined) return this.#fail(`without TLS only loopback is listened on, not ${open}`, 2);
    try {
      const parts = {
        ...this.#options,
        link: this.#link,
        settings,
        log: this.#log,
        tls: hello.tls ?? undefined,
        metrics: this.#metrics,
      };
      this.#service = new Service(parts);
      const listening = await this.#service.listen(addresses);
      if (listening.length === 0) return this.#fail('none of the addresses is available here', 1);
      this.#log.info('listening', { addresses: listening, tls: hello.tls !== null });
      await this.#serveMetrics(metrics.listen);
      this.#listening.resolve(listening);
    } catch (error) {
      this.#fail(startFailure(error), 1);
    }
  }

  async #serveMetrics(where: string): Promise<void> {
    if (where === '') return;
    this.#metricsServer = new MetricsServer(this.#metrics);
    this.#log.info('metrics', { address: await this.#metricsServer.listen(where) });
  }

  #fail(reason: string, status: number): void {
    this.#log.error('cannot go on', reason);
    this.#listening.reject(new Error(reason));
    this.#options.fatal(status);
  }
}

/** Why it could not begin to listen, in words that say what to change. */
function startFailure(error: unknown): string {
  const { code, address, port, message } = error as NodeJS.ErrnoException & { address?: string; port?: number };
  if (code === 'EADDRINUSE') return `another program listens on ${String(address)}:${String(port)} already (${code})`;
  return message;
}
