/**
 * Who is connected. A session is opened with a token and afterwards known by its capability: 256 random bits that are good only
 * on this connection, because they exist only in this process. The token itself is never kept.
 */
import { hash, randomBytes } from 'node:crypto';
import { TokenTable, expiryOf } from '@steward/shared/config/token-table.ts';
import type { ConfigSnapshot } from '@steward/shared/config/types.ts';
import { StewardError } from '@steward/shared/errors.ts';

export const IDLE_MS = 15 * 60_000;
export const ABSOLUTE_MS = 24 * 60 * 60_000;

export interface Session {
  readonly user: string;
  /** Id of the token. */
  readonly token: string;
  readonly address: string;
  /** What the client calls itself. */
  readonly client: string;
  /** Milliseconds since the epoch after which the token must be presented again. */
  readonly expires: number;
}

interface Open extends Session {
  lastUsed: number;
}

export class Sessions {
  readonly #now: () => number;
  /** By digest of the capability, so that the look-up compares no secret. */
  readonly #open = new Map<string, Open>();
  #users: ConfigSnapshot['users'] = [];
  #tokens = new TokenTable([]);

  /** `now` in milliseconds since the epoch. */
  constructor(now: () => number = Date.now) {
    this.#now = now;
  }

  /** Opens a session. Undefined when the token is not good here and now; throws `busy` when there are too many sessions. */
  open(
    asked: { readonly token: string; readonly address: string; readonly client: string },
    config: ConfigSnapshot,
  ): { readonly capability: string; readonly session: Session } | undefined {
    const now = this.#now();
    const owner = this.#tokensOf(config).owner(asked.token, asked.address, now);
    if (owner === undefined) return undefined;
    this.#dropOver(now);
    this.#makeRoom(owner.user.name, config.daemon.limits.max_sessions_per_user);
    if (this.#open.size >= config.daemon.limits.max_sessions) throw new StewardError('busy');
    const session: Open = {
      user: owner.user.name,
      token: owner.token.id,
      address: asked.address,
      client: asked.client,
      expires: Math.min(now + ABSOLUTE_MS, expiryOf(owner)),
      lastUsed: now,
    };
    const capability = randomBytes(32).toString('hex');
    this.#open.set(digestOf(capability), session);
    return { capability, session };
  }

  /** The session of a capability, which counts as used now. Undefined when there is none any more. */
  use(capability: string): Session | undefined {
    const session = this.#open.get(digestOf(capability));
    const now = this.#now();
    if (session === undefined || isOver(session, now)) return undefined;
    session.lastUsed = now;
    return session;
  }

  close(capability: string): void {
    this.#open.delete(digestOf(capability));
  }

  /** Number of sessions that `closeTokens` would end. */
  countOf(tokens: readonly { readonly user: string; readonly token: string }[]): number {
    return [...this.#open.values()].filter((session) => concerns(session, tokens)).length;
  }

  /** Ends the sessions of withdrawn tokens. */
  closeTokens(tokens: readonly { readonly user: string; readonly token: string }[]): void {
    for (const [key, session] of this.#open) if (concerns(session, tokens)) this.#open.delete(key);
  }

  #dropOver(now: number): void {
    for (const [key, session] of this.#open) if (isOver(session, now)) this.#open.delete(key);
  }

  /** A user with very many addresses gives up the sessions of his that rested longest, and takes nobody else's place. */
  #makeRoom(user: string, limit: number): void {
    const own = [...this.#open].filter(([, session]) => session.user === user).sort(([, a], [, b]) => a.lastUsed - b.lastUsed);
    for (const [key] of own.slice(0, Math.max(0, own.length + 1 - limit))) this.#open.delete(key);
  }

  #tokensOf(config: ConfigSnapshot): TokenTable {
    if (this.#users !== config.users) {
      this.#users = config.users;
      this.#tokens = new TokenTable(config.users);
    }
    return this.#tokens;
  }
}

const digestOf = (capability: string): string => hash('sha256', capability, 'hex');

function isOver(session: Open, now: number): boolean {
  return now >= session.expires || now - session.lastUsed > IDLE_MS;
}

function concerns(session: Session, tokens: readonly { readonly user: string; readonly token: string }[]): boolean {
  return tokens.some((token) => token.user === session.user && token.token === session.token);
}
