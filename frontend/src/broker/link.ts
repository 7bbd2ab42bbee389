/**
 * Keeps a connection to the broker: connects, notices its end, connects again with patience (the service manager refuses a
 * socket that is opened too often), and lets calls wait a moment for the next one.
 */
import { StewardError } from '@steward/shared/errors.ts';
import { Wire, type Hello, type ReloadMessage } from './wire.ts';

export interface LinkOptions {
  readonly path: string;
  readonly tableDigest: string;
  /** A broker is there. Throw to refuse it; it is then tried again later. */
  readonly hello: (hello: Hello, wire: Wire) => void;
  readonly reload: (message: ReloadMessage, wire: Wire) => void;
  /** The record of a call was made durable in so many milliseconds. */
  readonly recorded?: (milliseconds: number) => void;
  /** One line for the log. */
  readonly report: (message: string, details: Readonly<Record<string, unknown>>) => void;
  /** The socket's path has been missing for so long that only a fresh start can bring it back. */
  readonly pathGone?: () => void;
}

/** Pause before the first new try after a loss: a broker that died is replaced within some hundredths of a second. */
const FIRST_PAUSE_MS = 100;
/**
 * Pauses after that grow from here, doubling. Nor is one connection followed by the next any sooner, however well it began: a broker
 * that dies again and again must not make systemd close its socket (TriggerLimitBurst=, 20 in 10 s).
 */
const BACKOFF_MS = 1_000;
const MAX_BACKOFF_MS = 8_000;
/** How long a call waits for a connection. */
const WAIT_MS = 2_000;
const PATH_GONE_MS = 15_000;

export class BrokerLink {
  readonly #options: LinkOptions;
  readonly #waiting = new Set<(wire: Wire) => void>();
  #wire: Wire | undefined;
  #timer: NodeJS.Timeout | undefined;
  #failures = 0;
  #lastTry = 0;
  #missingSince: number | undefined;
  #closed = false;

  constructor(options: LinkOptions) {
    this.#options = options;
  }

  /** The connection, or undefined while there is none. */
  get current(): Wire | undefined {
    return this.#wire?.alive === true ? this.#wire : undefined;
  }

  start(): void {
    this.#connect();
  }

  /** The connection, awaited for up to `waitMs`. Rejects with `broker_unavailable`, or the signal's reason. */
  ready(signal?: AbortSignal, waitMs = WAIT_MS): Promise<Wire> {
    const { current } = this;
    if (current !== undefined) return Promise.resolve(current);
    if (this.#closed) return Promise.reject(new StewardError('broker_unavailable'));
    this.#hurry();
    return new Promise((resolve, reject) => {
      const settle = (): void => {
        clearTimeout(timer);
        signal?.removeEventListener('abort', aborted);
        this.#waiting.delete(found);
      };
      const found = (wire: Wire): void => {
        settle();
        resolve(wire);
      };
      const aborted = (): void => {
        settle();
        reject(signal?.reason as Error);
      };
      const timer = setTimeout(() => {
        settle();
        reject(new StewardError('broker_unavailable'));
      }, waitMs);
      signal?.addEventListener('abort', aborted, { once: true });
      this.#waiting.add(found);
    });
  }

  /** Ends the connection for good. */
  close(): void {
    this.#closed = true;
    clearTimeout(this.#timer);
    this.#wire?.destroy();
  }

  #connect(): void {
    clearTimeout(this.#timer);
    this.#lastTry = performance.now();
    const wire = new Wire({
      path: this.#options.path,
      tableDigest: this.#options.tableDigest,
      handlers: {
        hello: (hello) => this.#greeted(hello, wire),
        reload: (message) => this.#options.reload(message, wire),
        closed: (reason) => this.#lost(reason),
        recorded: (milliseconds) => this.#options.recorded?.(milliseconds),
      },
    });
    this.#wire = wire;
  }

  #greeted(hello: Hello, wire: Wire): void {
    this.#options.hello(hello, wire);
    this.#failures = 0;
    this.#missingSince = undefined;
    this.#options.report('broker connected', {});
    // The wire counts as alive only after this handler, so whoever waits is served a moment later.
    setImmediate(() => {
      for (const found of [...this.#waiting]) if (wire.alive) found(wire);
    });
  }

  #lost(reason: string): void {
    this.#wire = undefined;
    if (this.#closed) return;
    this.#watchPath(reason);
    const since = performance.now() - this.#lastTry;
    const first = Math.max(FIRST_PAUSE_MS, BACKOFF_MS - since);
    const pause = this.#failures === 0 ? first : Math.min(BACKOFF_MS * 2 ** (this.#failures - 1), MAX_BACKOFF_MS);
    this.#failures += 1;
    this.#options.report('broker not available', { reason, retry_ms: Math.round(pause) });
    this.#timer = setTimeout(() => this.#connect(), pause);
  }

  #watchPath(reason: string): void {
    const now = performance.now();
    this.#missingSince = reason === 'ENOENT' ? (this.#missingSince ?? now) : undefined;
    if (this.#missingSince !== undefined && now - this.#missingSince >= PATH_GONE_MS) this.#options.pathGone?.();
  }

  /** Somebody waits: the next try comes as soon as the least back-off allows. */
  #hurry(): void {
    if (this.#wire !== undefined || this.#failures < 2) return;
    clearTimeout(this.#timer);
    const since = performance.now() - this.#lastTry;
    this.#timer = setTimeout(() => this.#connect(), Math.max(0, BACKOFF_MS - since));
  }
}
