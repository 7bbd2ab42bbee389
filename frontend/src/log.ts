/**
 * The log: one line per request, and a line for whatever an operator must know. Lines go to standard output, as JSON or as text.
 * Trusted with leaving out tokens and session ids; nothing here is ever given one.
 */
import pino, { type Logger } from 'pino';
import type { DaemonConfig } from '@steward/shared/config/types.ts';

type Logging = DaemonConfig['logging'];

/** One finished HTTP request. */
export interface AccessLine {
  readonly client: string;
  readonly user: string;
  readonly method: string;
  /** Path without its query, which may hold a session id. */
  readonly uri: string;
  readonly status: number;
  readonly duration_ms: number;
  readonly request: string;
}

export interface Destination {
  write(line: string): void;
}

export class Log {
  readonly #logger: Logger;
  #access: boolean;

  /** `to`: standard output unless told otherwise. The format stays as it is; level and access log may change. */
  constructor(logging: Logging, to: Destination = standardOutput()) {
    const out = logging.format === 'json' ? to : { write: (line: string) => to.write(asText(line)) };
    const options = {
      level: logging.level,
      base: null,
      timestamp: () => `,"time":"${new Date().toISOString()}"`,
      formatters: { level: (label: string) => ({ level: label }) },
    };
    this.#logger = pino(options, out);
    this.#access = logging.access_log;
  }

  /** Follows a new configuration. */
  configure(logging: Pick<Logging, 'level' | 'access_log'>): void {
    this.#logger.level = logging.level;
    this.#access = logging.access_log;
  }

  /** One line per request, at level info. */
  access(line: AccessLine): void {
    if (this.#access) this.#logger.info(line, 'request');
  }

  info(message: string, details: object = {}): void {
    this.#logger.info(details, message);
  }

  warn(message: string, details: object = {}): void {
    this.#logger.warn(details, message);
  }

  /** With the stack of the error: the only place where one is ever shown. */
  error(message: string, error: unknown, details: object = {}): void {
    this.#logger.error({ ...details, error: error instanceof Error ? (error.stack ?? error.message) : String(error) }, message);
  }
}

function standardOutput(): Destination {
  // Synchronous, because a worker thread of the logger's own would generate code at run time.
  const stream = pino.destination({ fd: 1, sync: true });
  stream.on('error', () => undefined); // nobody reads the log: serving goes on
  return stream;
}

/** `time level message key=value ..`; values with blanks, quotes or control characters in JSON quotes. */
function asText(line: string): string {
  const { time, level, msg, ...details } = JSON.parse(line) as Record<string, unknown>;
  const members = Object.entries(details).map(([key, value]) => ` ${key}=${shown(value)}`);
  return `${String(time)} ${String(level)} ${String(msg)}${members.join('')}\n`;
}

function shown(value: unknown): string {
  if (typeof value === 'string') return value !== '' && /^[^\s"=\p{Cc}]+$/u.test(value) ? value : JSON.stringify(value);
  return JSON.stringify(value);
}
