/**
 * The file of contexts, `~/.config/steward/config.yaml`: which daemons this account talks to. It may name a command to run for
 * a token, so a file that others can write is refused.
 */
import { readFileSync, statSync } from 'node:fs';
import { join } from 'node:path';
import { reasonOf } from '@steward/shared/errors.ts';
import { CliError, EXIT, usageError } from '../exit.ts';
import { isObject } from '../grammar/argument.ts';
import { hint } from '../nearest.ts';
import type { Io } from '../io.ts';

/** One context. Relative paths are relative to the file's directory. */
export interface ContextEntry {
  readonly server?: string;
  readonly ca_file?: string;
  readonly fingerprint?: string;
  readonly token_file?: string;
  /** Program and arguments; a text is split at blanks. No shell is involved. */
  readonly token_command?: string | readonly string[];
}

export interface ContextFile {
  readonly path: string;
  readonly current?: string;
  readonly contexts: ReadonlyMap<string, ContextEntry>;
  /** Names for several contexts at once. */
  readonly groups: ReadonlyMap<string, readonly string[]>;
}

const KEYS = ['server', 'ca_file', 'fingerprint', 'token_file', 'token_command'];

/** Where the file of contexts is (XDG Base Directory: `$XDG_CONFIG_HOME`, else `~/.config`). */
export function contextPath(env: Io['env']): string {
  const base = env['XDG_CONFIG_HOME'] ?? '';
  return join(base.startsWith('/') ? base : join(env['HOME'] ?? '/', '.config'), 'steward/config.yaml');
}

function broken(path: string, reason: string): Error {
  return new CliError(EXIT.usage, `${path}: ${reason}`);
}

function checkOwner(path: string): void {
  const { mode, uid } = statSync(path);
  const own = process.getuid?.() ?? uid;
  if (uid !== own && uid !== 0) throw broken(path, 'belongs to another account');
  if ((mode & 0o022) !== 0) throw broken(path, 'can be written by others (chmod 600)');
}

function entryOf(path: string, name: string, value: unknown): ContextEntry {
  if (!isObject(value)) throw broken(path, `context ${name} must be a map`);
  for (const [key, member] of Object.entries(value)) {
    if (!KEYS.includes(key)) throw broken(path, `context ${name}: unknown key "${key}" (known here: ${KEYS.join(', ')})`);
    const list = key === 'token_command' && Array.isArray(member) && member.every((word) => typeof word === 'string');
    if (typeof member !== 'string' && !list) throw broken(path, `context ${name}: ${key} must be text`);
  }
  return value;
}

/** Groups may name contexts only, and no group may be called as a context is. */
function groupsIn(path: string, value: unknown, contexts: Readonly<Record<string, unknown>>): Map<string, readonly string[]> {
  const groups = isObject(value) ? value : {};
  for (const [name, members] of Object.entries(groups)) {
    if (Object.hasOwn(contexts, name)) throw broken(path, `${name} is both a context and a group`);
    if (!Array.isArray(members) || !members.every((member) => typeof member === 'string' && Object.hasOwn(contexts, member)))
      throw broken(path, `group ${name} must be a list of contexts`);
  }
  return new Map(Object.entries(groups) as [string, string[]][]);
}

/** The error for a name that is none of a context, or of a group where those may stand too. */
export function noContext({ path, contexts, groups }: ContextFile, name: string, withGroups = false): Error {
  const known = [...contexts.keys(), ...(withGroups ? groups.keys() : [])];
  const otherwise = 'stewardctl context list shows them, stewardctl login URL makes one';
  return usageError(`no context named "${name}" in ${path}${hint(name, known, undefined, otherwise)}`);
}

/** The text of the file of contexts, unjudged: only to tell whether it has changed. Undefined when there is none to read. */
export function contextText(env: Io['env']): string | undefined {
  try {
    return readFileSync(contextPath(env), 'utf8');
  } catch {
    return undefined;
  }
}

/** Reads the file of contexts; a missing one is empty. @throws CliError (usage) when it cannot be used */
export async function readContexts(env: Io['env']): Promise<ContextFile> {
  const path = contextPath(env);
  let text: string;
  try {
    text = readFileSync(path, 'utf8');
    checkOwner(path);
  } catch (error) {
    if ((error as NodeJS.ErrnoException).code === 'ENOENT') return { path, contexts: new Map(), groups: new Map() };
    if (error instanceof CliError) throw error;
    throw broken(path, `cannot be read (${reasonOf(error)})`);
  }
  const { parse } = await import('yaml');
  let value: unknown;
  try {
    value = parse(text) as unknown;
  } catch (error) {
    throw broken(path, error instanceof Error ? (error.message.split('\n')[0] ?? '') : String(error));
  }
  const document = isObject(value) ? value : {};
  const contexts = isObject(document['contexts']) ? document['contexts'] : {};
  return {
    path,
    ...(typeof document['current'] === 'string' ? { current: document['current'] } : {}),
    contexts: new Map(Object.entries(contexts).map(([name, entry]) => [name, entryOf(path, name, entry)])),
    groups: groupsIn(path, document['groups'], contexts),
  };
}
