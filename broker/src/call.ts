/**
 * One call under way: when it must stop and whether it still may, and its upload. Trusted with the rule that an effect is either
 * not begun or finished.
 */
import { timeLimit } from '@steward/shared/catalogue/time-limit.ts';
import { StewardError } from '@steward/shared/errors.ts';
import type { BrokerMessage, FrontendMessage } from '@steward/shared/ipc/messages.ts';
import type { IncomingStream, OutgoingStream } from '@steward/shared/ipc/streams.ts';
import type { ConfigSnapshot } from '@steward/shared/config/types.ts';
import { toolOf } from './grants.ts';
import type { Row } from '@steward/shared/catalogue/row.ts';
import type { Session } from './sessions.ts';

/** No caller can ask for less, in milliseconds: a call that could not even be judged helps nobody. */
const MIN_DEADLINE_MS = 100;

export type CallMessage = Extract<FrontendMessage, { type: 'call' }>;

export class Call {
  readonly message: CallMessage;
  readonly row: Row;
  /** The configuration that this call sees from its first check to its end. */
  readonly config: ConfigSnapshot;
  readonly incoming: IncomingStream | undefined;
  readonly began = performance.now();
  /** Milliseconds that it may take. */
  readonly limitMs: number;
  readonly #controller = new AbortController();
  #begun = false;
  /** Ends the wait for the result. */
  #interrupt: ((reason: StewardError) => void) | undefined;
  session: Session | undefined;
  /** Where its content goes. */
  outgoing: OutgoingStream | undefined;
  #recordedMs: number | undefined;

  constructor(message: CallMessage, row: Row, config: ConfigSnapshot, incoming: IncomingStream | undefined) {
    this.message = message;
    this.row = row;
    this.config = config;
    this.incoming = incoming;
    this.limitMs = deadlineMs(row, config, message);
  }

  get signal(): AbortSignal {
    return this.#controller.signal;
  }

  /** Why the call was stopped. */
  get reason(): StewardError {
    const reason: unknown = this.signal.reason;
    return reason instanceof StewardError ? reason : new StewardError('cancelled');
  }

  /** Milliseconds since the call arrived. */
  get elapsed(): number {
    return Math.round(performance.now() - this.began);
  }

  /** Waits for the record of the call and notes how long it took to be durable. */
  async recorded<T>(record: Promise<T>): Promise<T> {
    const began = performance.now();
    const made = await record;
    this.#recordedMs = performance.now() - began;
    return made;
  }

  /** The message that ends the call well. */
  answer(value: unknown): BrokerMessage {
    const { id } = this.message;
    return { type: 'result', id, value, ...(this.#recordedMs !== undefined && { recorded_ms: this.#recordedMs }) };
  }

  /** The effect begins: from here on the call is waited for, whatever happens. */
  readonly begin = (): void => {
    this.#begun = true;
  };

  /** Asks the call to stop: at once if nothing has begun, else as soon as the operation itself can. */
  stop(reason: StewardError): void {
    if (this.signal.aborted) return;
    this.#controller.abort(reason);
    this.incoming?.fail(reason);
    this.outgoing?.abort(reason);
    if (!this.#begun) this.#interrupt?.(reason);
  }

  /** Its time is over. */
  expire(): void {
    this.stop(new StewardError('timeout', { seconds: Math.ceil(this.limitMs / 1000) }));
  }

  /** What the work gives, or the reason why the call was stopped before its effect began. */
  result<T>(work: Promise<T>): Promise<T> {
    return new Promise((resolve, reject) => {
      this.#interrupt = reject;
      work.then(resolve, reject); // of a call that is stopped already too: its work fails as well, and nobody else listens yet
      if (this.signal.aborted && !this.#begun) reject(this.reason);
    });
  }
}

/** The time a call gets: what it asks for, what the row gives at most, what the configuration gives. Milliseconds. */
export function deadlineMs(row: Row, { daemon }: ConfigSnapshot, { deadline_ms: asked, args }: CallMessage): number {
  const tool = toolOf(row.grant);
  // What is no tool and no resource (the live feed) lasts as long as its row says.
  const general = 'extra' in row.grant ? Infinity : daemon.limits.timeout_seconds;
  const configured = tool === undefined ? general : timeLimit(tool, daemon, args);
  const limit = Math.min(row.limits.deadlineSeconds, configured) * 1000;
  return Math.min(Math.max(asked, MIN_DEADLINE_MS), limit);
}
