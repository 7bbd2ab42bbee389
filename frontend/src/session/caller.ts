/**
 * The caller of one request, as the rest of the program sees it: a name, grants to choose words by, and a way to ask the broker.
 * It holds the request's credentials, so that a session which the broker no longer knows can be opened again, once.
 */
import { StewardError } from '@steward/shared/errors.ts';
import type { UserGrants } from '@steward/shared/config/types.ts';
import { CallLost, type RootCall } from '../broker/calls.ts';
import type { Authenticator, Credentials, Identity } from './auth.ts';

export interface Caller {
  readonly user: string;
  /** Id of the token, never the token. */
  readonly token: string;
  /** Whether the caller has an OS account here. For words alone, as the grants. */
  readonly account: boolean;
  /** The caller's own grants as the broker last told them. For words alone, never to permit. */
  readonly grants: UserGrants;
  /** Runs an operation as root. Rejects with StewardError. */
  root(call: RootCall): Promise<unknown>;
}

/** Authenticates a request: at once where the token is known, else by asking. Rejects as `Authenticator.identify` does. */
export function authenticate(authenticator: Authenticator, credentials: Credentials): Caller | Promise<Caller> {
  const callerOf = (identity: Identity): Caller => new RequestCaller(authenticator, credentials, identity);
  const known = authenticator.recall(credentials);
  return known === undefined ? authenticator.identify(credentials).then(callerOf) : callerOf(known);
}

class RequestCaller implements Caller {
  readonly #authenticator: Authenticator;
  readonly #credentials: Credentials;
  #identity: Identity;

  constructor(authenticator: Authenticator, credentials: Credentials, identity: Identity) {
    this.#authenticator = authenticator;
    this.#credentials = credentials;
    this.#identity = identity;
  }

  get user(): string {
    return this.#identity.session.user;
  }

  get token(): string {
    return this.#identity.session.token;
  }

  get account(): boolean {
    return this.#identity.session.account;
  }

  get grants(): UserGrants {
    return this.#identity.session.grants;
  }

  async root(call: RootCall): Promise<unknown> {
    if (!this.#identity.wire.alive) await this.#renew();
    let received = false as boolean; // set from within the call
    const sink = (bytes: Uint8Array): Promise<void> => {
      received = true;
      return call.sink(bytes);
    };
    try {
      return await this.#identity.wire.call(this.#identity.session, { ...call, sink });
    } catch (error) {
      if (received || !mayRepeat(error, call)) throw error;
      await this.#renew();
      return this.#identity.wire.call(this.#identity.session, call);
    }
  }

  /** A token that is no longer good ends the call as a session that is over, not as a failure of the tool. */
  async #renew(): Promise<void> {
    const { user } = this;
    try {
      this.#identity = await this.#authenticator.renew(this.#credentials, this.#identity);
    } catch (error) {
      if (error instanceof StewardError && error.key === 'bad_token') throw new StewardError('no_session');
      throw error;
    }
    if (this.user !== user) throw new StewardError('no_session');
  }
}

/** Whether a call that failed may be made once more: the broker refused the session, or it died and did nothing that counts. */
function mayRepeat(error: unknown, call: RootCall): boolean {
  if (error instanceof CallLost) return error.unseen || call.repeatable;
  return error instanceof StewardError && error.key === 'no_session';
}
