/**
 * Who is calling. The broker alone knows tokens; what is kept here is what it said about one, under a keyed digest of the token
 * and the client's address, never the token itself. Whatever makes that answer doubtful (its expiry, a reload, a new broker)
 * makes the broker be asked again with the token of the very request.
 */
import { hash, randomBytes } from 'node:crypto';
import { StewardError } from '@steward/shared/errors.ts';
import type { OpenedSession } from '@steward/shared/ipc/messages.ts';
import type { Wire } from '../broker/wire.ts';

/** What a request says about its caller. It lives as long as the request. */
export interface Credentials {
  readonly token: string;
  /** Address of the client, without a port. */
  readonly address: string;
  /** The client's own name, for the record. */
  readonly client: string;
  /** Id of the request, for the record. */
  readonly request: string;
}

/** What the broker said about a token. */
export interface Identity {
  readonly session: OpenedSession;
  /** The connection that the capability is good on. */
  readonly wire: Wire;
  /** Milliseconds of the monotonic clock at which it must be asked again. */
  readonly expires: number;
}

/** What is needed of the link to the broker. */
export interface WireSource {
  readonly current: Wire | undefined;
  ready(signal?: AbortSignal): Promise<Wire>;
}

interface Known {
  identity: Identity;
  used: number;
  /** A reload came after the answer. */
  stale: boolean;
}

/** An identity that nobody used for this long is forgotten, and its session closed. */
const IDLE_MS = 10 * 60_000;
const MAX_KNOWN = 4096;
/**
 * Questions to the broker under way for one address. Many more than the answers that the broker holds back at a time: a stranger who
 * fails again and again must not take the place of somebody with a good token behind the same address.
 */
const MAX_ASKING = 1024;

export class Authenticator {
  readonly #wires: WireSource;
  readonly #now: () => number;
  /** Of a fixed length and in front of what is digested, so that the digests say nothing to who does not have it. */
  readonly #secret = randomBytes(32).toString('base64');
  readonly #known = new Map<string, Known>();
  readonly #asking = new Map<string, Promise<Identity>>();
  readonly #askingFrom = new Map<string, number>();

  /** `now`: a monotonic clock in milliseconds. */
  constructor(wires: WireSource, now: () => number = () => performance.now()) {
    this.#wires = wires;
    this.#now = now;
  }

  /**
   * The identity behind a token. Rejects with `bad_token`; with `broker_unavailable` when it is not known and cannot be asked for;
   * with `busy` when the broker opens no more sessions.
   */
  async identify(credentials: Credentials): Promise<Identity> {
    const key = this.#keyOf(credentials);
    return this.#recall(key) ?? this.#ask(key, credentials);
  }

  /** The identity behind a token as far as it is known here; undefined when the broker must be asked, which `identify` does. */
  recall(credentials: Credentials): Identity | undefined {
    return this.#recall(this.#keyOf(credentials));
  }

  #recall(key: string): Identity | undefined {
    const known = this.#known.get(key);
    if (known === undefined || !this.#holds(known)) return undefined;
    known.used = this.#now();
    return known.identity;
  }

  /** Asks again although an identity is known: its capability was refused. */
  renew(credentials: Credentials, refused: Identity): Promise<Identity> {
    const key = this.#keyOf(credentials);
    const known = this.#known.get(key);
    if (known !== undefined && known.identity !== refused && this.#holds(known)) return Promise.resolve(known.identity);
    return this.#ask(key, credentials);
  }

  /** After a reload: the tokens that are over are forgotten, about the others the broker is asked again at their next use. */
  reloaded(closed: readonly { user: string; token: string }[]): void {
    for (const [key, known] of this.#known) {
      known.stale = true;
      const { user, token } = known.identity.session;
      if (closed.some((one) => one.user === user && one.token === token)) this.#known.delete(key);
    }
  }

  /** Forgets who has not been here for a while. Call now and then. */
  sweep(): void {
    const now = this.#now();
    for (const [key, known] of this.#known) {
      if (now - known.used > IDLE_MS || now >= known.identity.expires) this.#forget(key, known);
    }
  }

  /** While the broker is away what it said last holds, until its time is over; unprivileged work goes on. */
  #holds({ identity, stale }: Known): boolean {
    if (this.#now() >= identity.expires) return false;
    const { current } = this.#wires;
    return current === undefined || (current === identity.wire && !stale);
  }

  #ask(key: string, credentials: Credentials): Promise<Identity> {
    const asking = this.#asking.get(key) ?? this.#open(key, credentials).finally(() => this.#asking.delete(key));
    this.#asking.set(key, asking);
    return asking;
  }

  async #open(key: string, credentials: Credentials): Promise<Identity> {
    const { address } = credentials;
    const others = this.#askingFrom.get(address) ?? 0;
    if (others >= MAX_ASKING) throw new StewardError('busy');
    this.#askingFrom.set(address, others + 1);
    try {
      const wire = await this.#wires.ready();
      const before = this.#known.get(key);
      const session = await wire.open(credentials);
      const identity = { session, wire, expires: this.#now() + session.valid_ms };
      this.#remember(key, identity, before);
      return identity;
    } catch (error) {
      if (error instanceof StewardError && error.key === 'bad_token') this.#known.delete(key);
      throw error;
    } finally {
      const asking = (this.#askingFrom.get(address) ?? 1) - 1;
      if (asking > 0) this.#askingFrom.set(address, asking);
      else this.#askingFrom.delete(address);
    }
  }

  #remember(key: string, identity: Identity, before: Known | undefined): void {
    if (before !== undefined) this.#close(before.identity);
    this.#known.delete(key); // so that it becomes the youngest
    this.#known.set(key, { identity, used: this.#now(), stale: false });
    if (this.#known.size <= MAX_KNOWN) return;
    for (const [oldest, known] of this.#known) return this.#forget(oldest, known);
  }

  #forget(key: string, known: Known): void {
    this.#known.delete(key);
    this.#close(known.identity);
  }

  #close({ wire, session }: Identity): void {
    if (wire.alive) wire.send({ type: 'close', capability: session.capability });
  }

  #keyOf({ token, address }: Credentials): string {
    return hash('sha256', `${this.#secret}${address}\0${token}`, 'base64');
  }
}
