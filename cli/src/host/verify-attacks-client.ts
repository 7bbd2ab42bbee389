/**
 * The client of an attacked broker of `stewardctl verify`: asks as a frontend does, and sends what no frontend sends. It checks nothing
 * of what it is told; what it is told decides only what is printed.
 */
import type { ChildProcess } from 'node:child_process';
import type { Socket } from 'node:net';
import { TABLE_DIGEST } from '@steward/shared/generated/table.ts';
import { Connection } from '@steward/shared/ipc/connection.ts';
import { PROTOCOL, type BrokerMessage } from '@steward/shared/ipc/messages.ts';
import type { IncomingStream } from '@steward/shared/ipc/streams.ts';
import type { Attack } from './verify-attacks-list.ts';

/** `key`: of the error; undefined for a result. */
export interface AttackAnswer {
  readonly key?: string;
  /** All bytes of the content that came, as text. */
  readonly text: string;
  /** Of an opened session. */
  readonly capability?: string;
}

type Reply = Extract<BrokerMessage, { type: 'opened' | 'result' | 'error' }>;

/** How long a call may take, in milliseconds; the whole has a limit of its own. */
const DEADLINE_MS = 10_000;

export class AttackedBroker {
  /** Exit status; null after a signal. */
  readonly exit: Promise<number | null>;
  readonly #socket: Socket;
  readonly #connection: Connection;
  readonly #waiting = new Map<number, PromiseWithResolvers<Reply>>();
  #lastId = 0;
  #said = '';

  constructor(child: ChildProcess, socket: Socket) {
    this.#socket = socket;
    this.exit = new Promise((done) => child.once('close', done));
    child.on('error', () => socket.destroy()); // it was not started, or was killed at the end of the time: `closed` says so
    child.stderr?.setEncoding('utf8').on('data', (text: string) => (this.#said = `${this.#said}${text}`.slice(-4096)));
    this.#connection = new Connection(socket, {
      handlers: {
        message: (value) => this.#message(value as BrokerMessage),
        violation: () => socket.destroy(),
        end: () => socket.end(),
        closed: () => this.#closed(),
      },
    });
    this.#connection.send({ type: 'hello', protocol: PROTOCOL, table: TABLE_DIGEST });
  }

  /** The last line that it said. */
  get said(): string {
    return this.#said.trimEnd().split('\n').at(-1) ?? '';
  }

  /** Asks for a session. Rejects when the connection ends before the answer, as `call` does. */
  async open(token: string): Promise<AttackAnswer> {
    const { id, reply } = this.#ask();
    this.#connection.send({
      type: 'open',
      id,
      token,
      address: '127.0.0.1',
      client: 'stewardctl verify',
      request: `verify-${id}`,
    });
    return answerOf(await reply, '');
  }

  /** Asks for an operation. `request` is what its records in the audit log are found by. */
  async call({ op, args, content }: Pick<Attack, 'op' | 'args' | 'content'>, request: string, capability?: string) {
    const { id, reply } = this.#ask();
    const text = textOf(this.#connection.openIncoming(id));
    const upload = content === undefined ? {} : { upload_bytes: Buffer.byteLength(content) };
    this.#connection.send({ type: 'call', id, capability, op, args, request, deadline_ms: DEADLINE_MS, ...upload });
    if (content !== undefined) await this.#upload(id, content);
    const answered = await reply;
    this.#connection.finishIncoming(id);
    return answerOf(answered, await text);
  }

  /** Sends bytes that need be no frame. */
  raw(bytes: Uint8Array): void {
    this.#socket.write(bytes);
  }

  /** Ends the connection, and with it the broker. */
  async stop(): Promise<void> {
    this.#connection.destroy();
    await this.exit;
  }

  async #upload(id: number, content: string): Promise<void> {
    const stream = this.#connection.openOutgoing(id);
    await stream.write(Buffer.from(content));
    this.#connection.closeOutgoing(stream);
    this.#connection.send({ type: 'end', id });
  }

  #ask(): { readonly id: number; readonly reply: Promise<Reply> } {
    const id = (this.#lastId += 1);
    const waiting = Promise.withResolvers<Reply>();
    waiting.promise.catch(() => undefined); // may be rejected before anybody waits
    this.#waiting.set(id, waiting);
    if (this.#connection.dead) this.#closed();
    return { id, reply: waiting.promise };
  }

  #message(message: BrokerMessage): void {
    if (message.type !== 'opened' && message.type !== 'result' && message.type !== 'error') return;
    this.#waiting.get(message.id)?.resolve(message);
    this.#waiting.delete(message.id);
  }

  #closed(): void {
    for (const { reject } of this.#waiting.values()) reject(new Error('the broker closed the connection'));
    this.#waiting.clear();
  }
}

async function textOf(stream: IncomingStream): Promise<string> {
  const pieces: Uint8Array[] = [];
  try {
    await stream.drain((bytes) => Promise.resolve(pieces.push(bytes)));
  } catch {
    return ''; // the connection has ended, which the reply says
  }
  return Buffer.concat(pieces).toString();
}

function answerOf(reply: Reply, text: string): AttackAnswer {
  if (reply.type === 'error') return { key: reply.error.key, text };
  return reply.type === 'opened' ? { text, capability: reply.session.capability } : { text };
}
