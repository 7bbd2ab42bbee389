/**
 * The daemon as commands see it: connected on first use, its lists read once and only as far as they are needed.
 */
import { Session } from './session.ts';
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
import { isObject, type JsonObject } from '../grammar/argument.ts';
import { unreachable } from '../exit.ts';
import { VERSION } from '../version.ts';
import type { Flags } from '../options.ts';
import type { Io } from '../io.ts';

/** What the server says about itself in `initialize`. */
export interface ServerInfo {
  readonly url: URL;
  readonly name: string;
  readonly version: string;
  readonly protocolVersion: string;
  /** The user that the token belongs to, where the server says so. */
  readonly user: string | undefined;
}

interface Connected {
  readonly session: Session;
  readonly server: ServerInfo;
}

function textOr(value: unknown, fallback: string): string {
  return typeof value === 'string' ? value : fallback;
}

function entries<T>(list: unknown, read: (raw: unknown) => T | undefined): T[] {
  if (!Array.isArray(list)) throw unreachable('the server answered without a list');
  return list.map(read).filter((entry) => entry !== undefined);
}

export class Client {
  readonly #flags: Flags;
  readonly #io: Io;
  #connected: Promise<Connected> | undefined;
  #tools: Promise<ToolEntry[]> | undefined;
  #resources: Promise<(ResourceEntry | TemplateEntry)[]> | undefined;

  /** @param flags say where to connect; they are read at the first use */
  constructor(flags: Flags, io: Io) {
    this.#flags = flags;
    this.#io = io;
  }

  #connect(): Promise<Connected> {
    this.#connected ??= this.#open();
    return this.#connected;
  }

  async #open(): Promise<Connected> {
    const session = await Session.open(await findTarget(this.#flags, this.#io));
    const result = await session.request('initialize', {
      protocolVersion: '2024-11-05',
      capabilities: {},
      clientInfo: { name: 'stewardctl', version: VERSION },
    });
    // A notification has no answer; if it cannot be delivered, the next request says why.
    session.notify('notifications/initialized').catch(() => undefined);
    const about = isObject(result['serverInfo']) ? result['serverInfo'] : {};
    const user = session.headers['steward-user'];
    const server = {
      url: session.url,
      name: textOr(about['name'], 'unknown'),
      version: textOr(about['version'], 'unknown'),
      protocolVersion: textOr(result['protocolVersion'], 'unknown'),
      user: typeof user === 'string' ? user : undefined,
    };
    return { session, server };
  }

  async server(): Promise<ServerInfo> {
    return (await this.#connect()).server;
  }

  async request(method: string, params?: JsonObject, signal?: AbortSignal): Promise<JsonObject> {
    const { session } = await this.#connect();
    return session.request(method, params, signal);
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

  async callTool(name: string, args: JsonObject, signal?: AbortSignal): Promise<Answer> {
    return toolAnswer(await this.request('tools/call', { name, arguments: args }, signal));
  }

  async readResource(uri: string, signal?: AbortSignal): Promise<Answer> {
    return resourceAnswer(await this.request('resources/read', { uri }, signal));
  }

  /** Ends the session if there is one. */
  async close(): Promise<void> {
    const connected = await this.#connected?.catch(() => undefined);
    connected?.session.close();
  }
}
