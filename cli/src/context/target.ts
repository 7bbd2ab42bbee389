/**
 * Decides which daemon to talk to, how to recognise it and as whom: flags, then the environment, then the context (the one
 * that is named, a checkout around the working directory, the current one of the configuration file, the program's checkout).
 */
import { existsSync, readFileSync } from 'node:fs';
import { dirname, resolve } from 'node:path';
import { reasonOf } from '@steward/shared/errors.ts';
import { addressOf, findCheckout, type Checkout } from './checkout.ts';
import { noContext, readContexts, type ContextEntry, type ContextFile } from './file.ts';
import { tokenFromCommand, tokenFromFile, tokenIn } from './token.ts';
import { readFingerprint, type Trust } from '../client/trust.ts';
import type { Target } from '../client/target.ts';
import { CliError, EXIT, usageError } from '../exit.ts';
import { isObject } from '../grammar/argument.ts';
import { textOf, type Flags } from '../options.ts';
import type { Io } from '../io.ts';

/** A context with absolute paths, and a name for people. */
export interface Context extends ContextEntry {
  readonly name: string;
}

/** The address that daemon.yaml of a checkout asks for. */
async function configuredAddress({ daemonFile }: Checkout): Promise<string> {
  const { parse } = await import('yaml');
  let server: unknown;
  try {
    server = (parse(readFileSync(daemonFile, 'utf8')) as { server?: unknown } | null)?.server;
  } catch {
    throw usageError(`${daemonFile} cannot be read`);
  }
  return addressOf(isObject(server) ? server : {}).origin;
}

async function contextOfCheckout(checkout: Checkout): Promise<Context> {
  const started = existsSync(checkout.urlFile) ? readFileSync(checkout.urlFile, 'utf8').trim() : undefined;
  return {
    name: checkout.directory,
    server: started ?? (await configuredAddress(checkout)),
    ca_file: checkout.certificate,
    token_file: checkout.token,
  };
}

function named(file: ContextFile, name: string): Context {
  const entry = file.contexts.get(name);
  if (entry === undefined) throw noContext(file, name);
  const base = dirname(file.path);
  const absolute = (path: string | undefined): string | undefined => (path === undefined ? undefined : resolve(base, path));
  const { ca_file, token_file, ...rest } = entry;
  const paths = { ca_file: absolute(ca_file), token_file: absolute(token_file) };
  return {
    name,
    ...rest,
    ...(Object.fromEntries(Object.entries(paths).filter(([, path]) => path !== undefined)) as ContextEntry),
  };
}

/** The context in force, or undefined when there is none. */
export async function findContext(flags: Flags, io: Io): Promise<Context | undefined> {
  const asked = textOf(flags, 'context');
  if (asked !== undefined) return named(await readContexts(io.env), asked);
  const here = findCheckout(io.cwd);
  if (here !== undefined) return contextOfCheckout(here);
  const file = await readContexts(io.env);
  if (file.current !== undefined) return named(file, file.current);
  const around = findCheckout(dirname(io.program));
  return around === undefined ? undefined : contextOfCheckout(around);
}

const LOOPBACK = /^(localhost|127(\.\d+){3}|\[::1\])$/;

/** Whether an address is on this host. */
export function isLoopback(url: URL): boolean {
  return LOOPBACK.test(url.hostname);
}

/** The base address; without a scheme it is https, without a port 9091. */
export function readServer(text: string): URL {
  const bare = !/^[a-z][a-z0-9+.-]*:\/\//i.test(text);
  const url = URL.parse(bare ? `https://${text}` : text);
  if (url === null || !['https:', 'http:'].includes(url.protocol) || url.username !== '' || url.search !== '') {
    throw usageError(`"${text}" is no address of a daemon (https://HOST:PORT)`);
  }
  if (bare && url.port === '') url.port = '9091';
  if (url.protocol === 'http:' && !isLoopback(url)) throw usageError(`${text}: a token is not sent without TLS to another host`);
  return url;
}

function certificate(path: string): Trust {
  try {
    return { kind: 'ca', pem: readFileSync(path, 'utf8') };
  } catch (error) {
    throw new CliError(EXIT.unreachable, `cannot read the certificate ${path}: ${reasonOf(error)}`);
  }
}

function pinned(text: string): Trust {
  const sha256 = readFingerprint(text);
  if (sha256 === undefined) throw usageError(`"${text}" is no SHA-256 fingerprint (64 hexadecimal digits)`);
  return { kind: 'fingerprint', sha256 };
}

/** How to judge the certificate. Within one source the fingerprint wins, since it says more. */
function trustOf(flags: Flags, io: Io, context: Context | undefined): Trust {
  if (flags.has('insecure')) {
    io.stderr.write(
      'stewardctl: warning: the certificate is not checked (--insecure): anybody may be answering and reading the token\n',
    );
    return { kind: 'none' };
  }
  const fingerprint = textOf(flags, 'fingerprint');
  if (fingerprint !== undefined) return pinned(fingerprint);
  const file = textOf(flags, 'ca-file') ?? (io.env['STEWARD_CA'] || undefined);
  if (file !== undefined) return certificate(resolve(io.cwd, file));
  if (context?.fingerprint !== undefined) return pinned(context.fingerprint);
  return context?.ca_file === undefined ? { kind: 'system' } : certificate(context.ca_file);
}

async function tokenOf(flags: Flags, io: Io, context: Context | undefined): Promise<string> {
  const file = textOf(flags, 'token-file');
  if (file !== undefined) return tokenFromFile(resolve(io.cwd, file));
  const own = io.env['STEWARD_TOKEN'];
  if (own !== undefined && own !== '') return tokenIn(own, 'STEWARD_TOKEN');
  if (context?.token_file !== undefined) return tokenFromFile(context.token_file);
  if (context?.token_command !== undefined) return tokenFromCommand(context.token_command);
  throw new CliError(
    EXIT.unauthenticated,
    'no token: give --token-file or STEWARD_TOKEN, or make a context with stewardctl login URL',
  );
}

/** Puts together where to connect. @throws CliError when something is missing or cannot be read */
export async function findTarget(flags: Flags, io: Io): Promise<Target> {
  const asked = textOf(flags, 'server') ?? (io.env['STEWARD_SERVER'] || undefined);
  const trusting =
    ['insecure', 'fingerprint', 'ca-file'].some((name) => flags.has(name as 'insecure')) || (io.env['STEWARD_CA'] ?? '') !== '';
  const holding = flags.has('token-file') || (io.env['STEWARD_TOKEN'] ?? '') !== '';
  // Nothing of a context is read when nothing of it is needed: scripts then depend on their flags alone.
  const complete = asked !== undefined && trusting && holding && !flags.has('context');
  const context = complete ? undefined : await findContext(flags, io);
  const server = asked ?? context?.server;
  if (server === undefined)
    throw usageError('no server: make a context with stewardctl login URL, or give --server or STEWARD_SERVER');
  const url = readServer(server);
  return { url, trust: trustOf(flags, io, context), token: await tokenOf(flags, io, context) };
}
