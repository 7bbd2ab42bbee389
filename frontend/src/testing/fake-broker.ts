/**
 * For unit tests alone: a broker that speaks the real frames on a real socket, with tokens and operations of the test's own. It
 * decides nothing; it answers what it was told to answer.
 */
import { mkdtempSync, rmSync } from 'node:fs';
import { createServer, type Server, type Socket } from 'node:net';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { NO_GRANTS, type UserGrants } from '@steward/shared/config/types.ts';
import { StewardError } from '@steward/shared/errors.ts';
import { Connection } from '@steward/shared/ipc/connection.ts';
import type { BrokerMessage, FrontendMessage } from '@steward/shared/ipc/messages.ts';
import type { IncomingStream } from '@steward/shared/ipc/streams.ts';

export const FAKE_DIGEST = 'f'.repeat(64);

/** One call as the fake got it. */
export interface FakeCall {
  readonly user: string;
  readonly op: string;
  readonly args: Readonly<Record<string, unknown>>;
  readonly upload: Buffer | undefined;
  readonly signal: AbortSignal;
  /** Sends content; settles when there was credit for it. */
  readonly write: (bytes: Uint8Array) => Promise<void>;
  /** Says how far it is. */
  readonly progress: (done: number, message?: string) => void;
}

export interface FakeBrokerOptions {
  /** Text of daemon.yaml. */
  config?: string;
  tls?: { cert: string; key: string } | null;
  protectedTrees?: readonly string[];
  /** Digest of its table. */
  digest?: string;
  /** User and grants by token. */
  tokens?: Record<string, { user: string; token?: string; grants?: UserGrants; validMs?: number }>;
  ops?: Record<string, (call: FakeCall) => unknown>;
}

interface Peer {
  readonly connection: Connection;
  readonly capabilities: Map<string, string>;
  readonly running: Map<number, AbortController>;
}

export class FakeBroker {
  readonly path: string;
  /** Changed by tests as they go. */
  readonly options: FakeBrokerOptions;
  /** Every message that came, in order. */
  readonly received: FrontendMessage[] = [];
  readonly #directory = mkdtempSync(join(tmpdir(), 'steward-fake-'));
  #server: Server | undefined;
  #peer: Peer | undefined;
  #socket: Socket | undefined;
  #count = 0;
  #generation = 0;

  constructor(options: FakeBrokerOptions = {}) {
    this.options = options;
    this.path = join(this.#directory, 'broker.sock');
  }

  async start(): Promise<void> {
    const server = createServer({ allowHalfOpen: true }, (socket) => this.#accept(socket)).listen(this.path);
    this.#server = server;
    await new Promise((done) => server.once('listening', done));
  }

  /** Dies: the connection breaks and nobody listens until `start`. */
  async kill(): Promise<void> {
    const closed = new Promise((done) => this.#server?.close(done));
    this.#socket?.destroy();
    await closed;
  }

  /** Reads nothing more, so that what comes is unread when it dies. */
  freeze(): void {
    this.#peer?.connection.hold('frozen');
  }

  async stop(): Promise<void> {
    await this.kill();
    rmSync(this.#directory, { recursive: true });
  }

  count(type: FrontendMessage['type']): number {
    return this.received.filter((message) => message.type === type).length;
  }

  /** Capabilities are forgotten, as after a long silence. */
  forgetSessions(): void {
    this.#peer?.capabilities.clear();
  }

  /** Proposes a configuration; commits when it is accepted. Resolves to the frontend's reason when it is not. */
  async reload(text: string, closed: { user: string; token: string }[] = []): Promise<string | undefined> {
    const generation = (this.#generation += 1);
    this.options.config = text;
    this.send({ type: 'propose', generation, text, file: '/etc/steward/daemon.yaml' });
    for (;;) {
      const answer = this.received.find((one) => 'generation' in one && one.generation === generation);
      if (answer?.type === 'reject') return answer.reason;
      if (answer?.type === 'accept') break;
      await new Promise((done) => setTimeout(done, 2));
    }
    const report = { files: ['/etc/steward/daemon.yaml'], changes: [], closed_sessions: closed.length, needs_restart: [] };
    this.send({ type: 'commit', generation, closed, report });
    return undefined;
  }

  send(message: BrokerMessage): void {
    this.#peer?.connection.send(message);
  }

  #accept(socket: Socket): void {
    const connection = new Connection(socket, {
      handlers: {
        message: (value) => void this.#take(peer, value as FrontendMessage),
        violation: () => socket.destroy(),
        end: () => socket.destroy(),
        closed: () => undefined,
      },
    });
    const peer: Peer = { connection, capabilities: new Map(), running: new Map() };
    this.#peer = peer;
    this.#socket = socket;
  }

  async #take(peer: Peer, message: FrontendMessage): Promise<void> {
    this.received.push(message);
    if (message.type === 'hello') this.#hello(peer);
    else if (message.type === 'open') this.#open(peer, message);
    else if (message.type === 'cancel') peer.running.get(message.id)?.abort(new StewardError('cancelled'));
    else if (message.type === 'end') peer.connection.finishIncoming(message.id);
    else if (message.type === 'call') await this.#call(peer, message);
  }

  #hello(peer: Peer): void {
    peer.connection.established();
    const { config = 'version: 1\n', tls = null, protectedTrees = [], digest = FAKE_DIGEST } = this.options;
    peer.connection.send({
      type: 'hello',
      protocol: 1,
      table: digest,
      config: { text: config, file: '/etc/steward/daemon.yaml' },
      tls,
      protected: { trees: protectedTrees, readOnly: [], pids: [] },
    } satisfies BrokerMessage);
  }

  #open(peer: Peer, { id, token }: Extract<FrontendMessage, { type: 'open' }>): void {
    const known = this.options.tokens?.[token];
    if (known === undefined) {
      peer.connection.send({ type: 'error', id, error: { key: 'bad_token', params: {} } } satisfies BrokerMessage);
      return;
    }
    const capability = `capability-${(this.#count += 1)}`;
    peer.capabilities.set(capability, known.user);
    const { user, token: name = 'test', grants = NO_GRANTS, validMs = 3_600_000 } = known;
    const session = { capability, user, token: name, account: false, grants, valid_ms: validMs };
    peer.connection.send({ type: 'opened', id, session } satisfies BrokerMessage);
  }

  async #call(peer: Peer, message: Extract<FrontendMessage, { type: 'call' }>): Promise<void> {
    const { id, op, args, capability = '' } = message;
    const { connection } = peer;
    const incoming = message.upload_bytes === undefined ? undefined : connection.openIncoming(id);
    const outgoing = connection.openOutgoing(id);
    const abort = new AbortController();
    peer.running.set(id, abort);
    try {
      const user = peer.capabilities.get(capability);
      if (user === undefined) throw new StewardError('no_session');
      const run = this.options.ops?.[op];
      if (run === undefined) throw new StewardError('internal', { request: message.request });
      const upload = incoming === undefined ? undefined : await whole(incoming);
      const progress = (done: number, words?: string): void =>
        void connection.send({ type: 'progress', id, done, message: words });
      const write = (bytes: Uint8Array): Promise<void> => outgoing.write(bytes);
      connection.send({
        type: 'result',
        id,
        value: await run({ user, op, args, upload, signal: abort.signal, write, progress }),
      });
    } catch (error) {
      if (!(error instanceof StewardError)) throw error;
      connection.send({ type: 'error', id, error: error.toWire() });
    } finally {
      peer.running.delete(id);
      connection.closeOutgoing(outgoing);
      if (incoming !== undefined) connection.abandonIncoming(incoming);
    }
  }
}

async function whole(stream: IncomingStream): Promise<Buffer> {
  const pieces: Uint8Array[] = [];
  await stream.drain((piece) => Promise.resolve(pieces.push(piece)));
  return Buffer.concat(pieces);
}
