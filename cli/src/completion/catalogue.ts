/**
 * What completion knows of a server, kept in the account's own cache for five minutes so that a key is answered without the
 * network. Names of tools and units are no secrets of others: they are what this account was shown; the file is for it alone.
 */
import { createHash } from 'node:crypto';
import { mkdirSync, readFileSync, renameSync, rmSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { isObject } from '../grammar/argument.ts';
import { resourceEntry, templateEntry, toolEntry, type Entry } from '../grammar/entry.ts';
import type { Io } from '../io.ts';

const FRESH_MS = 5 * 60_000;

/** Asked of the server when the cache does not know. */
export interface Asking {
  /** The raw entries of all three lists. */
  lists(): Promise<RawLists>;
  /** Values for a placeholder of a template that begin with what was typed. */
  values(uriTemplate: string, name: string, value: string): Promise<string[]>;
}

export interface RawLists {
  readonly tools: readonly unknown[];
  readonly resources: readonly unknown[];
  readonly templates: readonly unknown[];
}

interface Kept {
  /** Milliseconds since 1970. */
  readonly time: number;
  readonly lists: RawLists;
  /** Values by template, placeholder and beginning. */
  readonly values: Record<string, string[]>;
}

/** `$XDG_CACHE_HOME/steward`, else `~/.cache/steward`. */
export function cacheDirectory(env: Io['env']): string {
  const base = env['XDG_CACHE_HOME'] ?? '';
  return join(base.startsWith('/') ? base : join(env['HOME'] ?? '/', '.cache'), 'steward');
}

function read(path: string, now: number): Kept | undefined {
  try {
    const kept = JSON.parse(readFileSync(path, 'utf8')) as Kept;
    const age = now - kept.time;
    return age >= 0 && age < FRESH_MS && isObject(kept.lists) && isObject(kept.values) ? kept : undefined;
  } catch {
    return undefined;
  }
}

/** Replaces the file as a whole. A cache that cannot be written is none. */
function write(directory: string, path: string, kept: Kept): void {
  const made = `${path}.${process.pid}`;
  try {
    mkdirSync(directory, { recursive: true, mode: 0o700 });
    writeFileSync(made, JSON.stringify(kept), { mode: 0o600, flag: 'wx' });
    renameSync(made, path);
  } catch {
    rmSync(made, { force: true });
  }
}

export class Catalogue {
  readonly #directory: string;
  readonly #path: string;
  readonly #ask: Asking;
  #kept: Kept | undefined;

  /** @param target says which server and which user it is about; only its digest is kept */
  constructor(env: Io['env'], target: string, ask: Asking) {
    this.#directory = cacheDirectory(env);
    this.#path = join(this.#directory, `completion-${createHash('sha256').update(target).digest('hex').slice(0, 32)}.json`);
    this.#ask = ask;
    this.#kept = read(this.#path, Date.now());
  }

  async #known(): Promise<Kept> {
    if (this.#kept === undefined) {
      this.#kept = { time: Date.now(), lists: await this.#ask.lists(), values: {} };
      write(this.#directory, this.#path, this.#kept);
    }
    return this.#kept;
  }

  async entries(): Promise<Entry[]> {
    const { tools, resources, templates } = (await this.#known()).lists;
    const read = [...tools.map(toolEntry), ...resources.map(resourceEntry), ...templates.map(templateEntry)];
    return read.filter((entry) => entry !== undefined && entry.verb !== '') as Entry[];
  }

  /** Values for a placeholder. Rejects when the server has to be asked and does not answer. */
  async values(uriTemplate: string, name: string, value: string): Promise<readonly string[]> {
    const known = await this.#known();
    const key = `${uriTemplate} ${name} ${value}`;
    const found = Object.hasOwn(known.values, key) ? known.values[key] : undefined;
    if (found !== undefined) return found;
    const asked = await this.#ask.values(uriTemplate, name, value);
    this.#kept = { ...known, values: { ...known.values, [key]: asked } };
    write(this.#directory, this.#path, this.#kept);
    return asked;
  }
}
