/**
 * One connection to the broker after its handshake: opens sessions, runs calls, cancels them. The broker is trusted; what is
 * guarded here is that every call settles, whatever becomes of the connection, and that nothing piles up on the way.
 */
import { StewardError, isErrorKey, type WireError } from '@steward/shared/errors.ts';
import { Connection } from '@steward/shared/ipc/connection.ts';
import { Deadlines } from '@steward/shared/ipc/deadlines.ts';
import { InboxSocket } from '@steward/shared/ipc/inbox-socket.ts';
import type { OutgoingStream } from '@steward/shared/ipc/streams.ts';
import { PROTOCOL, type BrokerMessage, type FrontendMessage, type OpenedSession } from '@steward/shared/ipc/messages.ts';
import { nextTurn } from '../next-turn.ts';
import type { Credentials } from '../session/auth.ts';
import { CallLost, PendingRequests, type RootCall } from './calls.ts';
import { RootSlots } from './slots.ts';

export type Hello = Extract<BrokerMessage, { type: 'hello' }>;
export type ReloadMessage = Extract<BrokerMessage, { type: 'propose' | 'commit' | 'abandon' }>;

export interface WireHandlers {
  /** The broker speaks; its protocol number and table are ours. Throw to refuse it. */
  hello(hello: Hello): void;
  reload(message: ReloadMessage): void;
  /** The record of a call was made durable in so many milliseconds. */
  recorded?(milliseconds: number): void;
  /** The connection is gone; after a hello at most once, without one always once. */
  closed(reason: string): void;
}

export interface WireOptions {
  readonly path: string;
  readonly tableDigest: string;
  readonly handlers: WireHandlers;
}

/** How long the broker may take to start and say hello, in milliseconds: giving up early would only begin that anew. */
const HELLO_MS = 120_000;
/** How long an answer is awaited after the deadline, or after a cancellation, before the call is given up. */
const GRACE_MS = 3_000;

/** A call under way, and what may end it; a signal that is not aborted has no reason. */
interface Watched {
  readonly id: number;
  readonly signal: AbortSignal;
}

export class Wire {
  readonly #connection: Connection;
  readonly #options: WireOptions;
  readonly #pending = new PendingRequests();
  readonly #slots = new RootSlots();
  readonly #watched = new Deadlines<Watched>(({ id, signal }) => this.#abandon(id, signal.reason));
  readonly #helloTimer: NodeJS.Timeout;
  #greeted = false;
  /** The request that the last message sent was part of. */
  #lastSent: number | undefined;
  #reason: string | undefined;

  /** Connects at once; the handlers tell how it went. */
  constructor(options: WireOptions) {
    this.#options = options;
    const socket = new InboxSocket();
    socket.connect({ path: options.path });
    socket.once('error', (error: NodeJS.ErrnoException) => (this.#reason ??= error.code ?? error.message));
    this.#connection = new Connection(socket, {
      handlers: {
        message: (value) => this.#take(value as BrokerMessage),
        violation: (error) => this.#fail(error.message),
        end: () => this.#fail('connection ended by the broker'),
        closed: () => this.#closed(),
      },
    });
    this.#helloTimer = setTimeout(() => this.#fail('no hello from the broker'), HELLO_MS);
    this.send({ type: 'hello', protocol: PROTOCOL, table: options.tableDigest });
  }

  /** True while calls can be made. */
  get alive(): boolean {
    return this.#greeted && !this.#connection.dead;
  }

  /** Calls that the broker works on, and that wait for their turn. */
  get calls(): { readonly running: number; readonly waiting: number } {
    return this.#slots.counts;
  }

  send(message: FrontendMessage): boolean {
    this.#lastSent = message.type === 'call' || message.type === 'end' ? message.id : undefined;
    return this.#connection.send(message);
  }

  /** Opens a session. Rejects with `bad_token`, `busy`, or `broker_unavailable` when the connection breaks. */
  async open({ token, address, client, request }: Credentials): Promise<OpenedSession> {
    if (!this.alive) throw new CallLost(true);
    const { id, answer } = this.#pending.add();
    this.send({ type: 'open', id, token, address, client, request });
    return (await answer) as OpenedSession;
  }

  /** Runs one operation to its result; waits for its turn first, on the time of the call. Rejects with StewardError. */
  call({ user, capability }: OpenedSession, call: RootCall): Promise<unknown> {
    const entered = this.#slots.enter(user, call.signal);
    if (typeof entered === 'function') return this.#inTurn(entered, capability, call, call.deadlineMs);
    const asked = performance.now();
    return entered.then((release) => this.#inTurn(release, capability, call, call.deadlineMs - (performance.now() - asked)));
  }

  /** Gives the turn back whatever happens. */
  #inTurn(release: () => void, capability: string, call: RootCall, deadlineMs: number): Promise<unknown> {
    return this.#call(capability, call, deadlineMs).finally(release);
  }

  async #call(capability: string, call: RootCall, deadlineMs: number): Promise<unknown> {
    if (!this.alive) throw new CallLost(true); // it died while this call waited for its turn
    const { id, answer } = this.#pending.add(call.progress);
    const incoming = this.#connection.openIncoming(id);
    const outgoing = call.upload === undefined ? undefined : this.#connection.openOutgoing(id);
    const unwatch = this.#watch(id, call.signal, deadlineMs);
    try {
      const drained = incoming.drain(call.sink);
      // A sink that fails ends the call; a stream that does is the end of the connection.
      drained.catch((error: unknown) => incoming.failed || this.#abandon(id, error));
      this.#start(id, capability, call, deadlineMs);
      if (outgoing !== undefined && call.upload !== undefined) void this.#upload(outgoing, call.upload);
      const value = await answer;
      await drained;
      return value;
    } finally {
      unwatch();
      this.#connection.abandonIncoming(incoming);
      outgoing?.abort(new StewardError('cancelled'));
      if (outgoing !== undefined) this.#connection.closeOutgoing(outgoing);
    }
  }

  destroy(): void {
    this.#connection.destroy();
  }

  #start(id: number, capability: string, { op, args, request, upload }: RootCall, deadlineMs: number): void {
    const call = { type: 'call', id, capability, op, args, request, deadline_ms: Math.max(1, Math.round(deadlineMs)) } as const;
    const sent = this.send(upload === undefined ? call : { ...call, upload_bytes: upload.length });
    if (!sent) this.#pending.reject(id, new StewardError('bad_args', { op, reason: 'the arguments are too large' }));
  }

  /** Sends the content under its credit. The call may be answered before the end: then the rest is not wanted. */
  async #upload(outgoing: OutgoingStream, content: Uint8Array): Promise<void> {
    try {
      await outgoing.write(content);
      this.send({ type: 'end', id: outgoing.id });
    } catch {
      this.#abandon(outgoing.id, undefined); // the broker takes nothing, or has answered already
    }
  }

  /**
   * Cancels when the caller does, and gives up on a broker that does not answer in time. Listens only once the call is on its way.
   * Returns what ends the watch.
   */
  #watch(id: number, signal: AbortSignal, deadlineMs: number): () => void {
    const watched = { id, signal };
    this.#watched.add(watched, performance.now() + deadlineMs + GRACE_MS);
    let listens: boolean | undefined = false; // undefined when it is over
    const aborted = (): void => {
      this.send({ type: 'cancel', id });
      this.#watched.add(watched, performance.now() + GRACE_MS);
    };
    nextTurn(() => {
      if (listens === undefined) return;
      if (signal.aborted) return aborted();
      listens = true;
      signal.addEventListener('abort', aborted, { once: true });
    });
    return () => {
      if (listens === true) signal.removeEventListener('abort', aborted);
      listens = undefined;
      this.#watched.delete(watched);
    };
  }

  /** Nobody waits for this call any longer. Without a reason of ours it is the broker who let it down. */
  #abandon(id: number, reason: unknown): void {
    const error = reason instanceof Error ? reason : new StewardError('broker_unavailable');
    if (this.#pending.reject(id, error)) this.send({ type: 'cancel', id });
  }

  #take(message: BrokerMessage): void {
    if (!this.#greeted && message.type !== 'hello') return this.#fail('the broker did not begin with hello');
    switch (message.type) {
      case 'hello':
        return this.#hello(message);
      case 'opened':
        return void this.#pending.resolve(message.id, message.session);
      case 'result':
        this.#connection.finishIncoming(message.id);
        if (message.recorded_ms !== undefined) this.#options.handlers.recorded?.(message.recorded_ms);
        return void this.#pending.resolve(message.id, message.value);
      case 'progress':
        return this.#pending.progress(message.id, message.done, message.message);
      case 'error':
        return void this.#pending.reject(message.id, errorOf(message.error));
      case 'propose':
      case 'commit':
      case 'abandon':
        return this.#options.handlers.reload(message);
    }
  }

  #hello(hello: Hello): void {
    clearTimeout(this.#helloTimer);
    if (hello.protocol !== PROTOCOL || hello.table !== this.#options.tableDigest) {
      return this.#fail(`the broker is of another version (protocol ${hello.protocol}, table ${hello.table.slice(0, 12)})`);
    }
    this.#connection.established();
    try {
      this.#options.handlers.hello(hello);
      this.#greeted = true;
    } catch (error) {
      this.#fail(error instanceof Error ? error.message : String(error));
    }
  }

  #fail(reason: string): void {
    this.#reason ??= reason;
    this.#connection.destroy();
  }

  #closed(): void {
    clearTimeout(this.#helloTimer);
    const unseen = this.#unseen();
    if (unseen !== undefined) this.#pending.reject(unseen, new CallLost(true));
    this.#pending.rejectAll(new CallLost(false));
    this.#options.handlers.closed(this.#reason ?? 'connection closed');
  }

  /**
   * The request that the broker certainly never saw whole. A Unix socket says ECONNRESET only when its other end was closed with
   * bytes unread, and EPIPE when it was closed before they came; the unread bytes are the last ones sent, and if nothing else is
   * under way those belong to the last request.
   */
  #unseen(): number | undefined {
    const unread = this.#reason === 'ECONNRESET' || this.#reason === 'EPIPE';
    return unread && this.#pending.size === 1 ? this.#lastSent : undefined;
  }
}

/** An error of the broker; one whose key this side does not know can only be a defect. */
function errorOf({ key, params }: WireError): StewardError {
  return isErrorKey(key) ? new StewardError(key, params) : new StewardError('internal', { request: '' });
}
