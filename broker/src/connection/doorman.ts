/**
 * Opens sessions, and puts every attempt on record. Whoever fails is told one thing, whatever the reason; whoever fails often is
 * told it late.
 */
import type { ConfigSnapshot } from '@steward/shared/config/types.ts';
import { StewardError } from '@steward/shared/errors.ts';
import { ownAccount } from '@steward/shared/host/own-account.ts';
import type { BrokerMessage, FrontendMessage } from '@steward/shared/ipc/messages.ts';
import { FailureThrottle } from '@steward/shared/session/throttle.ts';
import type { Recorder } from '../dispatch.ts';
import { grantsOf } from '../grants.ts';
import { say } from '../say.ts';
import type { Sessions } from '../sessions.ts';

type Open = Extract<FrontendMessage, { type: 'open' }>;

export interface DoormanParts {
  readonly sessions: Sessions;
  readonly audit: Recorder;
  config(): ConfigSnapshot;
  send(message: BrokerMessage): boolean;
}

export class Doorman {
  readonly #parts: DoormanParts;
  readonly #throttle: FailureThrottle;

  constructor(parts: DoormanParts) {
    this.#parts = parts;
    this.#throttle = new FailureThrottle((address, count) => {
      void this.#record({ kind: 'session-refused', address, code: 'UNAUTHENTICATED', detail: `${count} more within a minute` });
    });
  }

  /** Answers a request for a session. */
  async open(asked: Open): Promise<void> {
    const { id, address, client, request } = asked;
    const config = this.#parts.config();
    try {
      const opened = this.#parts.sessions.open(asked, config);
      if (opened === undefined) return await this.#refuse(asked, config);
      const { capability, session } = opened;
      const { user, token, expires } = session;
      await this.#record({ kind: 'session', request, user, token, address, client, code: 'OK' });
      const valid_ms = Math.max(0, expires - Date.now());
      const account = config.users.some((entry) => entry.name === user && ownAccount(entry) !== undefined);
      const told = { capability, user, token, account, grants: grantsOf(config, user), valid_ms };
      this.#parts.send({ type: 'opened', id, session: told });
    } catch (error) {
      if (!(error instanceof StewardError)) throw error;
      await this.#record({ kind: 'session-refused', request, address, client, code: error.code, detail: error.message });
      this.#parts.send({ type: 'error', id, error: error.toWire() });
    }
  }

  /** Lets nobody wait any longer. */
  close(): void {
    this.#throttle.close();
  }

  async #refuse({ id, address, client, request }: Open, config: ConfigSnapshot): Promise<void> {
    if (this.#throttle.failed(address, config.daemon.limits.auth_failures_per_minute)) {
      await this.#record({ kind: 'session-refused', request, address, client, code: 'UNAUTHENTICATED', detail: 'no good token' });
    } else await this.#throttle.delay();
    this.#parts.send({ type: 'error', id, error: new StewardError('bad_token').toWire() });
  }

  /**
   * A session by itself gives no root right: every call with it has a record of its own or is refused. So when the log cannot be
   * written people can still connect, and see why.
   */
  async #record(entry: Parameters<Recorder['append']>[0]): Promise<void> {
    await this.#parts.audit
      .append(entry)
      .catch(() => say(`not recorded: ${entry.kind} of ${entry.user ?? entry.address ?? '?'}`));
  }
}
