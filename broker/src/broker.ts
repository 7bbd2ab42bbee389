/**
 * One connection from its first message to its end. Trusted with the rule that nothing but a handshake comes first, that every
 * message fits its schema before anybody looks at it, and that a breach is recorded and costs the connection.
 */
import type { Socket } from 'node:net';
import { StewardError } from '@steward/shared/errors.ts';
import type { AuditFeed } from '@steward/shared/audit/feed.ts';
import { Connection } from '@steward/shared/ipc/connection.ts';
import { ProtocolError } from '@steward/shared/ipc/frames.ts';
import { checkMessage } from '@steward/shared/ipc/check.ts';
import type { BrokerMessage, FrontendMessage } from '@steward/shared/ipc/messages.ts';
import type { Validate } from '@steward/shared/generated/validators.js';
import type { WorkerPool } from '@steward/shared/workers/pool.ts';
import type { OpenEngine } from '@steward/shared/engine/engine.ts';
import type { Guard } from '@steward/shared/host/guard.ts';
import type { ConfigSnapshot } from '@steward/shared/config/types.ts';
import { HELLO_MS, skew } from './connection/handshake.ts';
import { Doorman } from './connection/doorman.ts';
import { Dispatcher, type Recorder } from './dispatch.ts';
import { Reloader } from './reload.ts';
import type { Row } from '@steward/shared/catalogue/row.ts';
import { say } from './say.ts';
import { Sessions } from './sessions.ts';

export const EXIT = { ended: 0, failed: 1, config: 2, violation: 65, peer: 77 } as const;

/** How long effects that have begun may take when the connection was broken off. */
const LAST_EFFECTS_MS = 10_000;
/** How long the other side may take to read the last answers. */
const LAST_ANSWERS_MS = 5_000;
const MAX_OPENING = 256;

export interface BrokerParts {
  readonly table: readonly Row[];
  readonly tableDigest: string;
  readonly validators: {
    readonly messages: Readonly<Record<string, Validate>>;
    readonly args: Readonly<Record<string, Validate>>;
  };
  readonly config: ConfigSnapshot;
  readonly guard: Guard;
  readonly pool: Pick<WorkerPool, 'run'>;
  readonly engine: OpenEngine;
  readonly audit: Recorder;
  /** What is recorded, for those who watch. */
  readonly feed: AuditFeed;
  /** The broker's half of the handshake. */
  readonly welcome: BrokerMessage;
  /** Called once, when everything is over. */
  exit(status: number): void;
}

export class Broker {
  readonly #parts: BrokerParts;
  readonly #connection: Connection;
  readonly #sessions = new Sessions();
  readonly #doorman: Doorman;
  readonly #dispatcher: Dispatcher;
  readonly #reloader: Reloader;
  readonly #helloTimer: NodeJS.Timeout;
  #opening = 0;
  #greeted = false;
  #ending = false;

  constructor(socket: Socket, parts: BrokerParts) {
    this.#parts = parts;
    const handlers = {
      message: (value: unknown) => this.#message(value),
      violation: (error: ProtocolError) => void this.#violation(error),
      end: () => void this.#end(EXIT.ended),
      closed: () => void this.#lost(),
    };
    this.#connection = new Connection(socket, { handlers, answers: true });
    const { audit, tableDigest } = parts;
    const send = (message: BrokerMessage): boolean => this.#connection.send(message);
    this.#reloader = new Reloader(parts.config, {
      sessions: this.#sessions,
      audit,
      tableDigest,
      send: (message) => {
        const sent = send(message);
        if (message.type === 'commit') parts.feed.interrupt(); // behind the message: who may still watch asks again
        return sent;
      },
    });
    const config = (): ConfigSnapshot => this.#reloader.current;
    this.#doorman = new Doorman({ sessions: this.#sessions, audit, config, send });
    this.#dispatcher = new Dispatcher({
      ...parts,
      validators: parts.validators.args,
      connection: this.#connection,
      sessions: this.#sessions,
      config,
      reload: (dryRun, request) => this.#reloader.reload(dryRun, request),
    });
    this.#helloTimer = setTimeout(() => this.#connection.violate(new ProtocolError('no hello')), HELLO_MS);
  }

  /** Re-reads the configuration. */
  reload(): void {
    if (this.#greeted && !this.#ending) void this.#reloader.reloadOnSignal();
  }

  /** Finishes what has begun, refuses the rest, and exits. */
  shutDown(): void {
    this.#dispatcher.stopAll(new StewardError('shutting_down'));
    void this.#end(EXIT.ended);
  }

  #message(value: unknown): void {
    const message = checkMessage(value, this.#parts.validators.messages);
    if (!this.#greeted) this.#greet(message);
    else this.#route(message);
  }

  #greet(message: FrontendMessage): void {
    if (message.type !== 'hello') throw new ProtocolError(`${message.type} before hello`);
    clearTimeout(this.#helloTimer);
    const problem = skew(message, this.#parts.tableDigest);
    if (problem !== undefined) throw new ProtocolError(problem);
    this.#greeted = true;
    this.#connection.established();
    if (!this.#connection.send(this.#parts.welcome)) throw new Error('daemon.yaml and certificate do not fit into one message');
  }

  #route(message: FrontendMessage): void {
    switch (message.type) {
      case 'hello':
        throw new ProtocolError('a second hello');
      case 'open':
        return void this.#open(message);
      case 'close':
        return this.#sessions.close(message.capability);
      case 'call':
        return this.#dispatcher.call(message);
      case 'end':
        if (!this.#connection.finishIncoming(message.id)) throw new ProtocolError(`end of unknown upload ${message.id}`);
        return;
      case 'cancel':
        return this.#dispatcher.cancel(message.id);
      case 'reload':
        return this.reload();
      case 'accept':
      case 'reject':
        return this.#reloader.answer(message);
    }
  }

  /** Reads no further requests while too many sessions are being opened. */
  async #open(message: Extract<FrontendMessage, { type: 'open' }>): Promise<void> {
    this.#opening += 1;
    if (this.#opening >= MAX_OPENING) this.#connection.hold('sessions');
    await this.#doorman.open(message);
    this.#opening -= 1;
    if (this.#opening < MAX_OPENING / 2) this.#connection.release('sessions');
  }

  /** The socket is gone: nobody waits for answers any more. */
  async #lost(): Promise<void> {
    this.#dispatcher.stopAll(new StewardError('cancelled'));
    await this.#end(EXIT.ended);
  }

  async #violation(error: ProtocolError): Promise<void> {
    say(`violation: ${error.message}`);
    this.#dispatcher.stopAll(new StewardError('cancelled'));
    await this.#parts.audit
      .append({
        kind: 'violation',
        code: 'VIOLATION',
        detail: error.message,
        ...(error.request !== undefined && { request: error.request }),
      })
      .catch(() => say('not recorded'));
    this.#connection.destroy();
    await this.#end(EXIT.violation);
  }

  async #end(status: number): Promise<void> {
    if (this.#ending) return;
    this.#ending = true;
    clearTimeout(this.#helloTimer);
    this.#doorman.close();
    const limit = status === EXIT.violation ? LAST_EFFECTS_MS : 0;
    await Promise.race([this.#dispatcher.idle(), ...(limit === 0 ? [] : [after(limit)])]);
    await Promise.race([this.#connection.finish(), after(LAST_ANSWERS_MS)]);
    this.#parts.exit(status);
  }
}

const after = (milliseconds: number): Promise<void> => new Promise((done) => setTimeout(done, milliseconds).unref());
