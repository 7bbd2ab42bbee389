/**
 * The sessions that are open now. A session belongs to one user: nobody else can find it, and to them it is as if it did not
 * exist. Its id is no credential; every request brings its token.
 */
import { randomBytes } from 'node:crypto';
import type { Conversation } from './conversation.ts';
import { TransientMap } from '@steward/shared/transient-map.ts';

export interface Session {
  readonly id: string;
  readonly user: string;
  /** Id of the token that opened it. */
  readonly token: string;
  readonly conversation: Conversation;
  /** A single request that belongs to no session: the limits of sessions do not count it. */
  readonly transient?: true;
  /** Ends the session: its streams and its calls. */
  end(): void;
  /** Ends it after what is on its way to the client. Settles when that is out, or the client is gone. */
  finish(): Promise<void>;
  /** The list of tools may have changed; absent where clients are not told. */
  toolsChanged?(): void;
  /** Since when nobody has used it, in milliseconds of the monotonic clock; absent for one that lives as long as a connection. */
  idleSince?(): number | undefined;
}

export interface SessionLimits {
  readonly max_sessions: number;
  readonly max_sessions_per_user: number;
}

/** Bits of a session id. */
const ID_BITS = 192;

/** A fresh id: random, and safe in a query. */
export function newSessionId(): string {
  return randomBytes(ID_BITS / 8).toString('base64url');
}

export class Sessions {
  readonly #sessions = new TransientMap<string, Session>();
  /** Lasting sessions, in all and by user: with ten thousand open, nobody counts them anew for the next. */
  readonly #ofUser = new Map<string, number>();
  #lasting = 0;

  get size(): number {
    return this.#sessions.size;
  }

  /** Which limit one more session of the user would break, if any. */
  full(user: string, limits: SessionLimits): 'user' | 'total' | undefined {
    if ((this.#ofUser.get(user) ?? 0) >= limits.max_sessions_per_user) return 'user';
    return this.#lasting >= limits.max_sessions ? 'total' : undefined;
  }

  /** Ends the user's session that has been idle longest; false when none is idle. */
  makeRoom(user: string): boolean {
    const idle = this.all().filter((session) => session.user === user && session.idleSince?.() !== undefined);
    const [longest] = idle.sort((one, other) => (one.idleSince?.() ?? 0) - (other.idleSince?.() ?? 0));
    longest?.end();
    return longest !== undefined;
  }

  add(session: Session): void {
    this.#sessions.set(session.id, session);
    this.#count(session, 1);
  }

  /** The session, if it is this user's and of this kind. */
  find<S extends Session>(id: string, user: string, kind: abstract new (...args: never[]) => S): S | undefined {
    const session = this.#sessions.get(id);
    return session instanceof kind && session.user === user ? session : undefined;
  }

  /** Safe to call twice. */
  remove(session: Session): void {
    if (this.#sessions.delete(session.id)) this.#count(session, -1);
  }

  #count({ user, transient }: Session, change: 1 | -1): void {
    if (transient === true) return;
    this.#lasting += change;
    const own = (this.#ofUser.get(user) ?? 0) + change;
    if (own > 0) this.#ofUser.set(user, own);
    else this.#ofUser.delete(user);
  }

  all(): readonly Session[] {
    return [...this.#sessions.values()];
  }

  /** Ends the sessions that nobody has used for `ms` milliseconds. */
  endIdle(ms: number, now: number = performance.now()): void {
    for (const session of this.all()) {
      const since = session.idleSince?.();
      if (since !== undefined && now - since >= ms) session.end();
    }
  }

  /** Ends the sessions that these tokens opened. */
  endOf(closed: readonly { user: string; token: string }[]): void {
    for (const session of this.all()) {
      if (closed.some(({ user, token }) => session.user === user && session.token === token)) session.end();
    }
  }
}
