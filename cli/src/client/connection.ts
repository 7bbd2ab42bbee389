/**
 * The connection to one daemon, by the newest transport that it has: Streamable HTTP without a session, else a session over an
 * event stream. Which one it is shows in the first answer, so that nothing is asked twice.
 */
import { Session } from './session.ts';
import { NotServed, REVISION, Stateless } from './stateless.ts';
import type { RequestOptions, Target } from './target.ts';
import { isObject, type JsonObject } from '../grammar/argument.ts';
import { VERSION } from '../version.ts';

/** What the server says about itself. */
export interface ServerInfo {
  readonly url: URL;
  readonly name: string;
  readonly version: string;
  readonly protocolVersion: string;
  /** The user that the token belongs to, where the server says so. */
  readonly user: string | undefined;
}

const SERVER_INFO = 'io.modelcontextprotocol/serverInfo';

function textOr(value: unknown, fallback: string): string {
  return typeof value === 'string' ? value : fallback;
}

interface Old {
  readonly session: Session;
  readonly server: ServerInfo;
}

export class Connection {
  readonly #target: Target;
  readonly #new: Stateless;
  #old: Promise<Old> | undefined;

  constructor(target: Target) {
    this.#target = target;
    this.#new = new Stateless(target);
  }

  async request(method: string, params: JsonObject = {}, options: RequestOptions = {}): Promise<JsonObject> {
    if (this.#old === undefined) {
      try {
        return await this.#new.request(method, params, options);
      } catch (error) {
        if (!(error instanceof NotServed)) throw error;
      }
    }
    return (await this.#session()).session.request(method, params, options.signal);
  }

  /** Asks for a sign of life. */
  async ping(signal: AbortSignal): Promise<void> {
    if (this.#old === undefined) await this.server(signal);
    else await (await this.#old).session.request('ping', undefined, signal);
  }

  async server(signal?: AbortSignal): Promise<ServerInfo> {
    if (this.#old === undefined) {
      try {
        return this.#about(await this.#new.request('server/discover', {}, { signal }));
      } catch (error) {
        if (!(error instanceof NotServed)) throw error;
      }
    }
    return (await this.#session()).server;
  }

  #about(result: JsonObject): ServerInfo {
    const meta = isObject(result['_meta']) ? result['_meta'] : {};
    return this.#serverInfo(meta[SERVER_INFO], REVISION, this.#new.headers['steward-user']);
  }

  #serverInfo(info: unknown, protocolVersion: string, user: unknown): ServerInfo {
    const about = isObject(info) ? info : {};
    return {
      url: this.#target.url,
      name: textOr(about['name'], 'unknown'),
      version: textOr(about['version'], 'unknown'),
      protocolVersion,
      user: typeof user === 'string' ? user : undefined,
    };
  }

  #session(): Promise<Old> {
    this.#old ??= this.#openSession();
    return this.#old;
  }

  async #openSession(): Promise<Old> {
    const session = await Session.open(this.#target);
    const clientInfo = { name: 'stewardctl', version: VERSION };
    const result = await session.request('initialize', { protocolVersion: '2024-11-05', capabilities: {}, clientInfo });
    // A notification has no answer; if it cannot be delivered, the next request says why.
    session.notify('notifications/initialized').catch(() => undefined);
    const version = textOr(result['protocolVersion'], 'unknown');
    return { session, server: this.#serverInfo(result['serverInfo'], version, session.headers['steward-user']) };
  }

  /** Hangs up; the server stops what is still running for it. */
  async close(): Promise<void> {
    this.#new.close();
    const old = await this.#old?.catch(() => undefined);
    old?.session.close();
  }
}
