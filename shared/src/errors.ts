/**
 * The one registry of everything steward can answer instead of a result.
 *
 * A key names one text; its `code` is what programs look at (`_meta["steward/code"]`, audit records, exit codes). Only key
 * and parameters cross the broker's socket: texts are filled in where a person reads them, and no stack or cause ever leaves
 * the process it arose in.
 *
 * The texts stand by area in errors/; a key exists once in all of them.
 */
import { CALLS } from './errors/calls.ts';
import { CONFIG } from './errors/config.ts';
import { CRON } from './errors/cron.ts';
import { DISKS } from './errors/disks.ts';
import { DOCKER } from './errors/docker.ts';
import { FILES } from './errors/files.ts';
import { GRANTS } from './errors/grants.ts';
import { KERNEL } from './errors/kernel.ts';
import { NETWORK } from './errors/network.ts';
import { PROCESSES } from './errors/processes.ts';
import { SERVICES } from './errors/services.ts';
import { SYSTEM } from './errors/system.ts';

export const ERRORS = {
  ...CALLS,
  ...GRANTS,
  ...FILES,
  ...DISKS,
  ...PROCESSES,
  ...KERNEL,
  ...SERVICES,
  ...CRON,
  ...SYSTEM,
  ...NETWORK,
  ...DOCKER,
  ...CONFIG,
} as const;

export type ErrorKey = keyof typeof ERRORS;
export type ErrorParams = Readonly<Record<string, string | number>>;

/** How an error crosses the broker's socket: key and parameters, never a text, stack or cause. */
export interface WireError {
  readonly key: ErrorKey;
  readonly params: ErrorParams;
}

/** Fills the places of a registry text. A parameter that is missing shows as its name in braces. */
export function errorText(key: ErrorKey, params: ErrorParams = {}): string {
  return ERRORS[key].text.replace(/\{(\w+)\}/g, (place, name: string) =>
    Object.hasOwn(params, name) ? String(params[name]) : place,
  );
}

export function isErrorKey(key: unknown): key is ErrorKey {
  return typeof key === 'string' && Object.hasOwn(ERRORS, key);
}

/** The only error that operations and policy throw on purpose; anything else is a defect and is answered as `internal`. */
export class StewardError extends Error {
  readonly key: ErrorKey;
  readonly params: ErrorParams;

  constructor(key: ErrorKey, params: ErrorParams = {}, options?: ErrorOptions) {
    super(errorText(key, params), options);
    this.name = 'StewardError';
    this.key = key;
    this.params = params;
  }

  /** What programs look at, for instance `NOT_GRANTED`. */
  get code(): string {
    return ERRORS[this.key].code;
  }

  toWire(): WireError {
    return { key: this.key, params: this.params };
  }
}

/** errno names and the C library's words for them (glibc `strerror`, lower case). */
const REASONS: Readonly<Record<string, string>> = {
  EACCES: 'permission denied',
  EPERM: 'operation not permitted',
  ENOENT: 'no such file or directory',
  ENOTDIR: 'not a directory',
  EISDIR: 'is a directory',
  EEXIST: 'file exists',
  ENOSPC: 'no space left on device',
  EROFS: 'read-only file system',
  ELOOP: 'too many levels of symbolic links',
  ENAMETOOLONG: 'file name too long',
  EBUSY: 'device or resource busy',
  EINVAL: 'invalid argument',
  EIO: 'input/output error',
};

/** The errno name of a system error (`'ENOENT'`), or undefined for anything else. */
export function errnoOf(error: unknown): string | undefined {
  if (!(error instanceof Error)) return undefined;
  const code = (error as NodeJS.ErrnoException).code;
  return typeof code === 'string' && /^E[A-Z0-9]+$/.test(code) ? code : undefined;
}

/** The reason part of `<prefix>: <path>: <reason>`; an errno without a word of its own is named by its errno name. */
export function reasonOf(error: unknown): string {
  const errno = errnoOf(error);
  if (errno === undefined) return 'unexpected error';
  return REASONS[errno] ?? errno;
}

/** Rethrows a system error under a registry key with its reason; a StewardError passes unchanged. */
export function systemError(key: ErrorKey, params: ErrorParams, error: unknown): StewardError {
  if (error instanceof StewardError) return error;
  if (errnoOf(error) === undefined) throw error;
  return new StewardError(key, { ...params, reason: reasonOf(error), errno: errnoOf(error) ?? '' }, { cause: error });
}
