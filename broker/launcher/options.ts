/**
 * What the launcher is told on its command line, checked before anything is started. Root runs this: it reads the command line
 * and asks id(1) about one account, nothing else.
 */
import { execFileSync } from 'node:child_process';
import { existsSync, statSync } from 'node:fs';
import { dirname, join, resolve } from 'node:path';
import { fileURLToPath } from 'node:url';
import { parseArgs } from 'node:util';

/** Ids of the account that the frontend runs as. */
export interface Account {
  readonly uid: number;
  readonly gid: number;
}

export interface LaunchOptions {
  /** Absolute paths. */
  readonly configDir: string;
  readonly stateDir: string;
  /** Directory of the bundles. */
  readonly dist: string;
  /** `address:port`, empty for what the configuration says. */
  readonly listen: readonly string[];
  /** Undefined when this is not root: then both processes run as its user. */
  readonly account: Account | undefined;
  /** Give the broker what SMART needs (disks/health); it is much. */
  readonly smart: boolean;
}

/** A command line that cannot be followed; the message is one line for people. */
export class UsageError extends Error {}

const OPTIONS = {
  'config-dir': { type: 'string' },
  'state-dir': { type: 'string' },
  account: { type: 'string' },
  listen: { type: 'string', multiple: true },
  dist: { type: 'string' },
  smart: { type: 'boolean' },
} as const;

const PROGRAMS = ['broker.js', 'certs.js', 'frontend.js', 'frontend-worker.js'];

/** Reads the command line; relative paths are taken from the working directory. Throws UsageError. */
export function launchOptions(argv: readonly string[]): LaunchOptions {
  const values = parse(argv);
  for (const address of values.listen ?? []) {
    if (!/^(\[[0-9A-Fa-f:.]+\]|[^\s:/[\]]+):\d{1,5}$/.test(address))
      throw new UsageError(`--listen ${address}: not address:port`);
  }
  const dist = values.dist === undefined ? dirname(fileURLToPath(import.meta.url)) : directory('dist', values.dist);
  for (const name of PROGRAMS) {
    if (!existsSync(join(dist, name))) throw new UsageError(`--dist ${dist}: there is no ${name}`);
  }
  return {
    configDir: directory('config-dir', values['config-dir']),
    stateDir: resolve(required('state-dir', values['state-dir'])),
    dist,
    listen: values.listen ?? [],
    smart: values.smart === true,
    account: process.getuid?.() === 0 ? frontendAccount(values.account) : ordinaryUser(),
  };
}

function parse(argv: readonly string[]) {
  try {
    return parseArgs({ args: [...argv], options: OPTIONS, strict: true, allowPositionals: false }).values;
  } catch (error) {
    throw new UsageError((error as Error).message.replaceAll('\n', ' '));
  }
}

function required(name: string, value: string | undefined): string {
  if (value === undefined || value === '') throw new UsageError(`--${name} is missing`);
  return value;
}

function directory(name: string, value: string | undefined): string {
  const path = resolve(required(name, value));
  if (statSync(path, { throwIfNoEntry: false })?.isDirectory() !== true)
    throw new UsageError(`--${name} ${path}: no such directory`);
  return path;
}

/** Said once: whoever tries the pair without root should know what to expect. */
function ordinaryUser(): undefined {
  console.error(
    `launcher: both processes run as uid ${String(process.getuid?.())}: privileged operations have only that user's rights`,
  );
}

/** The named account, or `steward`, or `nobody`. Never root: a frontend with uid 0 would be no boundary. */
function frontendAccount(name: string | undefined): Account {
  for (const candidate of name === undefined ? ['steward', 'nobody'] : [name]) {
    const uid = idOf('-u', candidate);
    const gid = idOf('-g', candidate);
    if (uid === undefined || gid === undefined) continue;
    if (uid === 0) throw new UsageError(`--account ${candidate}: the frontend does not run as root`);
    return { uid, gid };
  }
  throw new UsageError(
    name === undefined ? 'there is no account steward or nobody: name one with --account' : `--account ${name}: no such account`,
  );
}

/** id(1) knows every source of accounts that the host has. */
function idOf(flag: '-u' | '-g', account: string): number | undefined {
  try {
    return Number(
      execFileSync('/usr/bin/id', [flag, '--', account], { encoding: 'utf8', stdio: ['ignore', 'pipe', 'ignore'], env: {} }),
    );
  } catch {
    return undefined;
  }
}
