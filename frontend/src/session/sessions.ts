/**
 * The sessions that are open now. A session belongs to one user: nobody else can find it, and to them it is as if it did not
 * exist. Its id is no credential; every request brings its token.
 */
import { randomBytes } from 'node:crypto';

export interface Session {
  readonly id: string;
  readonly user: string;
  /** Id of the token that opened it. */
  readonly token: string;
  /** Ends the session: its stream and its calls. */
  end(): void;
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

export class Sessions<S extends Session> {
  readonly #sessions = new Map<string, S>();

  get size(): number {
    return this.#sessions.size;
  }

  /** Which limit one more session of the user would break, if any. */
  full(user: string, limits: SessionLimits): 'user' | 'total' | undefined {
    let own = 0;
    for (const session of this.#sessions.values()) if (session.user === user) own += 1;
    if (own >= limits.max_sessions_per_user) return 'user';
    return this.#sessions.size >= limits.max_sessions ? 'total' : undefined;
  }

  add(session: S): void {
    this.#sessions.set(session.id, session);
  }

  /** The session, if it is this user's. */
  find(id: string, user: string): S | undefined {
    const session = this.#sessions.get(id);
    return session?.user === user ? session : undefined;
  }

  remove(session: S): void {
    this.#sessions.delete(session.id);
  }

  all(): readonly S[] {
    return [...this.#sessions.values()];
  }

  /** Ends the sessions that these tokens opened. */
  endOf(closed: readonly { user: string; token: string }[]): void {
    for (const session of this.all()) {
      if (closed.some(({ user, token }) => session.user === user && session.token === token)) session.end();
    }
  }
}
