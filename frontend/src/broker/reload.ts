/**
 * This side of a reload: the broker proposes a configuration, we judge it, and only when the broker says so do both switch. The
 * text was judged by the broker already; it is judged again because each process trusts its own reading.
 */
import { parseDaemon } from '@steward/shared/config/daemon.ts';
import { ConfigError, type DaemonConfig } from '@steward/shared/config/types.ts';
import type { ReloadReport } from '@steward/shared/ipc/messages.ts';
import type { ReloadMessage, Wire } from './wire.ts';

export interface ReloadHandlers {
  readonly apply: (config: DaemonConfig) => void;
  /** Sessions of these tokens are over; every other one is judged anew at its next request. */
  readonly committed: (closed: readonly { user: string; token: string }[], report: ReloadReport) => void;
  readonly abandoned: (reason: string) => void;
}

interface Proposal {
  readonly wire: Wire;
  readonly generation: number;
  readonly config: DaemonConfig;
}

export class Reloads {
  readonly #handlers: ReloadHandlers;
  #proposal: Proposal | undefined;

  constructor(handlers: ReloadHandlers) {
    this.#handlers = handlers;
  }

  take(message: ReloadMessage, wire: Wire): void {
    if (message.type === 'propose') this.#judge(message, wire);
    else if (message.type === 'commit') this.#commit(message, wire);
    else {
      this.#proposal = undefined;
      this.#handlers.abandoned(message.reason);
    }
  }

  #judge(message: Extract<ReloadMessage, { type: 'propose' }>, wire: Wire): void {
    const { generation, text, file } = message;
    try {
      this.#proposal = { wire, generation, config: parseDaemon(text, file) };
      wire.send({ type: 'accept', generation });
    } catch (error) {
      if (!(error instanceof ConfigError)) throw error;
      wire.send({ type: 'reject', generation, reason: error.message.slice(0, 4096) });
    }
  }

  /** A commit without the proposal that it belongs to (the connection changed in between) still closes what is over. */
  #commit(message: Extract<ReloadMessage, { type: 'commit' }>, wire: Wire): void {
    const proposal = this.#proposal;
    this.#proposal = undefined;
    if (proposal?.wire === wire && proposal.generation === message.generation) this.#handlers.apply(proposal.config);
    this.#handlers.committed(message.closed, message.report);
  }
}
