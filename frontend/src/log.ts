/**
 * The log: one line per request, and a line for whatever an operator must know. Lines go to standard output, as JSON or as text.
 * Trusted with leaving out tokens and session ids; nothing here is ever given one.
 */
import pino, { type Logger } from 'pino';
import type { DaemonConfig } from '@steward/shared/config/types.ts';
import { gather, type Destination } from './gather.ts';

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

export class Log {
  readonly #logger: Logger;
  /** Where text goes; undefined when the format is JSON. */
  readonly #text: Destination | undefined;
  #access: boolean;

  /** `to`: standard output unless told otherwise. The format stays as it is; level and access log may change. */
  constructor(logging: Logging, to: Destination = standardOutput()) {
    this.#text = logging.format === 'json' ? undefined : to;
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
    if (!this.#access) return;
    if (this.#text === undefined) this.#logger.info(line, 'request');
    // As text without the way over JSON: there is one of these for every request.
    else if (this.#logger.isLevelEnabled('info')) this.#text.write(accessText(line));
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
  const gathered = gather(stream);
  process.on('exit', () => gathered.flush());
  return gathered;
}

/** `time level message key=value ..`; values with blanks, quotes or control characters in JSON quotes. */
function asText(line: string): string {
  const { time, level, msg, ...details } = JSON.parse(line) as Record<string, unknown>;
  return textLine(String(time), String(level), String(msg), details);
}

function textLine(time: string, level: string, message: string, details: object): string {
  let text = `${time} ${level} ${message}`;
  for (const [key, value] of Object.entries(details)) text += ` ${key}=${shown(value)}`;
  return `${text}\n`;
}

/** As `textLine` says it; what cannot need quotes is not looked at. */
function accessText({ client, user, method, uri, status, duration_ms, request }: AccessLine): string {
  const who = `client=${client || '""'} user=${shown(user)}`;
  const what = `method=${method} uri=${shown(uri)} status=${status} duration_ms=${duration_ms} request=${request}`;
  return `${now()} info request ${who} ${what}\n`;
}

let last = { ms: 0, text: '' };

/** The time of day in UTC, written once for all lines of one millisecond. */
function now(): string {
  const ms = Date.now();
  if (ms !== last.ms) last = { ms, text: new Date(ms).toISOString() };
  return last.text;
}

function shown(value: unknown): string {
  return typeof value === 'string' && /^[^\s"=\p{Cc}]+$/u.test(value) ? value : quoted(value);
}

/** As JSON, which escapes the control characters up to U+001F alone; terminals obey some of the others too. */
function quoted(value: unknown): string {
  return JSON.stringify(value).replace(/[\u007f-\u009f]/g, (char) => `\\u00${char.charCodeAt(0).toString(16)}`);
}
