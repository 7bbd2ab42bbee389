/**
 * The daemon as commands see it: connected on first use, its lists read once and only as far as they are needed.
 */
import { Connection, type ServerInfo } from './connection.ts';
import type { RequestOptions } from './target.ts';
import { resourceAnswer, toolAnswer, type Answer } from './answers.ts';
import { findTarget } from '../context/target.ts';
import {
  resourceEntry,
  templateEntry,
  toolEntry,
  type Entry,
  type ResourceEntry,
  type TemplateEntry,
  type ToolEntry,
} from '../grammar/entry.ts';
import type { JsonObject } from '../grammar/argument.ts';
import { unreachable } from '../exit.ts';
import type { Flags } from '../options.ts';
import type { Io } from '../io.ts';

function entries<T>(list: unknown, read: (raw: unknown) => T | undefined): T[] {
  if (!Array.isArray(list)) throw unreachable('the server answered without a list');
  return list.map(read).filter((entry) => entry !== undefined);
}

export class Client {
  readonly #flags: Flags;
  readonly #io: Io;
  #connection: Promise<Connection> | undefined;
  #tools: Promise<ToolEntry[]> | undefined;
  #resources: Promise<(ResourceEntry | TemplateEntry)[]> | undefined;

  /** @param flags say where to connect; they are read at the first use */
  constructor(flags: Flags, io: Io) {
    this.#flags = flags;
    this.#io = io;
  }

  #connect(): Promise<Connection> {
    this.#connection ??= findTarget(this.#flags, this.#io).then((target) => new Connection(target));
    return this.#connection;
  }

  async server(): Promise<ServerInfo> {
    return (await this.#connect()).server(this.#io.signal);
  }

  async ping(): Promise<void> {
    await (await this.#connect()).ping(this.#io.signal);
  }

  async request(method: string, params?: JsonObject, options?: RequestOptions): Promise<JsonObject> {
    return (await this.#connect()).request(method, params, { signal: this.#io.signal, ...options });
  }

  tools(): Promise<ToolEntry[]> {
    this.#tools ??= this.request('tools/list').then((result) => entries(result['tools'], toolEntry));
    return this.#tools;
  }

  /** Resources and templates. */
  resources(): Promise<(ResourceEntry | TemplateEntry)[]> {
    this.#resources ??= Promise.all([this.request('resources/list'), this.request('resources/templates/list')]).then(
      ([fixed, templates]) => [
        ...entries(fixed['resources'], resourceEntry),
        ...entries(templates['resourceTemplates'], templateEntry),
      ],
    );
    return this.#resources;
  }

  async entries(): Promise<Entry[]> {
    const [tools, resources] = await Promise.all([this.tools(), this.resources()]);
    return [...tools, ...resources];
  }

  /** The entry under a verb and a group. Most calls are of tools, so the other lists are asked for only when needed. */
  async find(verb: string, group: string): Promise<Entry | undefined> {
    const matches = (entry: Entry): boolean => entry.verb === verb && entry.group === group;
    return (await this.tools()).find(matches) ?? (await this.resources()).find(matches);
  }

  async callTool(name: string, args: JsonObject, options?: RequestOptions): Promise<Answer> {
    return toolAnswer(await this.request('tools/call', { name, arguments: args }, options));
  }

  async readResource(uri: string, options?: RequestOptions): Promise<Answer> {
    return resourceAnswer(await this.request('resources/read', { uri }, options));
  }

  /** Hangs up if there is a connection. */
  async close(): Promise<void> {
    const connection = await this.#connection?.catch(() => undefined);
    await connection?.close();
  }
}
