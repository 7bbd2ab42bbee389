/**
 * How many connections one user holds. Whoever has a good token is no stranger any more, but nobody takes so many that there is no
 * room for others.
 */
import type { Socket } from 'node:net';

/** Besides those of the sessions. Each costs some fifty kilobytes once it speaks TLS; clients keep some dozens. */
const MAX_CONNECTIONS = 1024;

export class UserConnections {
  readonly #count = new Map<string, number>();
  readonly #sessions: () => number;

  /** `sessions`: how many the user may have, each of which may be a connection. Asked anew because the configuration may change. */
  constructor(sessions: () => number) {
    this.#sessions = sessions;
  }

  /** Counts a connection as the user's until it is closed; false, without counting it, when there are too many. */
  add(user: string, socket: Socket): boolean {
    const held = this.#count.get(user) ?? 0;
    if (held >= MAX_CONNECTIONS + this.#sessions()) return false;
    this.#count.set(user, held + 1);
    socket.once('close', () => this.#remove(user));
    return true;
  }

  #remove(user: string): void {
    const left = (this.#count.get(user) ?? 1) - 1;
    if (left > 0) this.#count.set(user, left);
    else this.#count.delete(user);
  }
}
