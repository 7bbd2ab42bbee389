/**
 * The endpoint `/ws`: one connection is one session, with the handshake of the revisions that have one. The token comes with the
 * upgrade and is judged again for every message, so that one that was taken away ends the connection.
 */
import { setImmediate } from 'node:timers/promises';
import { StewardError } from '@steward/shared/errors.ts';
import { WebSocketServer, type WebSocket } from 'ws';
import { AT_ONCE } from '../next-turn.ts';
import { CODES, RpcError, invalidRequest, parseError } from '../rpc/errors.ts';
import { JsonGauge } from '../rpc/gauge.ts';
import { readMessages, type Batch, type Message } from '../rpc/message.ts';
import { negotiate, takesBatches } from '../rpc/versions.ts';
import { authenticate, type Caller } from '../session/caller.ts';
import type { Credentials } from '../session/auth.ts';
import type { Conversation } from '../session/conversation.ts';
import { newSessionId, type Session } from '../session/sessions.ts';
import { answerText } from './answer.ts';
import type { Exchange } from './exchange.ts';
import { admit } from './gate.ts';
import type { Endpoint } from './router.ts';
import { keepAliveMs, mayBegin, newConversation, type TransportServices } from './services.ts';
import { SocketStream } from './socket-stream.ts';
import { unmaskAsItComes } from './unmask.ts';

/** The name of the protocol in the handshake (RFC 6455 section 1.9). */
const SUBPROTOCOL = 'mcp';
/** Status codes of a close (RFC 6455 section 7.4.1). */
const CLOSE = { going: 1001, unsupported: 1003, policy: 1008 } as const;

const TOOLS_CHANGED = { jsonrpc: '2.0', method: 'notifications/tools/list_changed' } as const;

unmaskAsItComes();

export function socketEndpoint(services: TransportServices): Endpoint {
  const upgrades = new WebSocketServer({
    noServer: true,
    perMessageDeflate: false,
    clientTracking: false,
    handleProtocols: (offered) => (offered.has(SUBPROTOCOL) ? SUBPROTOCOL : false),
  });
  return {
    GET: (exchange) =>
      answerText(exchange.response, 426, 'this is a WebSocket', { Upgrade: 'websocket', Connection: 'Upgrade, close' }),
    UPGRADE: (exchange) => upgrade(exchange, upgrades, services),
  };
}

async function upgrade(exchange: Exchange, upgrades: WebSocketServer, services: TransportServices): Promise<void> {
  const admitted = await admit(exchange, services.authenticator);
  if (admitted === undefined || !mayBegin(exchange, admitted.caller.user, services)) return;
  const opened = exchange.takeSocket?.();
  if (opened === undefined) return;
  // The limit is read anew for every connection, because the configuration may change.
  upgrades.options.maxPayload = services.config().limits.max_body_bytes;
  upgrades.handleUpgrade(exchange.request, opened.socket, opened.head, (socket) => {
    new SocketSession(exchange, socket, admitted, services).start();
  });
}

class SocketSession implements Session {
  readonly id = newSessionId();
  readonly user: string;
  readonly token: string;
  readonly conversation: Conversation;
  readonly #socket: WebSocket;
  readonly #stream: SocketStream;
  readonly #credentials: Credentials;
  readonly #services: TransportServices;
  /** Messages are judged one after the other, in the order in which they came. */
  #judging: Promise<void> = Promise.resolve();
  #count = 0;
  readonly #request: string;

  constructor(
    exchange: Exchange,
    socket: WebSocket,
    { caller, credentials }: { caller: Caller; credentials: Credentials },
    services: TransportServices,
  ) {
    this.user = caller.user;
    this.token = caller.token;
    this.#request = exchange.id;
    this.#socket = socket;
    this.#credentials = credentials;
    this.#services = services;
    this.conversation = newConversation(exchange, services, { version: negotiate(''), surface: 'legacy' });
    const dropped = (why: string): void => services.dropped(this.user, why);
    this.#stream = new SocketStream({ socket, pingMs: keepAliveMs(services), dropped });
  }

  start(): void {
    const { sessions } = this.#services;
    sessions.add(this);
    this.#socket.on('error', () => undefined); // a frame that breaks the protocol: `close` follows, with the right code
    this.#socket.on('message', (data: Buffer, isBinary) => {
      if (isBinary) return this.#socket.close(CLOSE.unsupported, 'text messages only');
      this.#socket.pause(); // what is not judged yet stays with the client
      this.#judging = this.#judging.then(() => this.#take(data)).finally(() => this.#socket.resume());
    });
    this.#socket.once('close', () => {
      sessions.remove(this);
      this.conversation.close();
    });
  }

  end(): void {
    this.#socket.close(CLOSE.policy, 'the session is over');
    this.conversation.close();
    this.#services.sessions.remove(this);
  }

  async finish(): Promise<void> {
    await this.#stream.emptied();
    const closed = new Promise((done) => this.#socket.once('close', done));
    this.#socket.close(CLOSE.going, 'the daemon is shutting down');
    await closed;
  }

  toolsChanged(): void {
    this.#notify(TOOLS_CHANGED);
  }

  /** One message. Whatever is wrong with it is answered; the connection goes on. */
  async #take(data: Buffer): Promise<void> {
    const request = `${this.#request}.${(this.#count += 1)}`;
    const caller = await this.#admit(request);
    if (caller === undefined || this.conversation.isClosed) return;
    try {
      const text = data.length > AT_ONCE ? await this.#largeText(data) : textOf(data);
      if (text === undefined) return;
      const body = readMessages(text);
      this.#prepare(body);
      const start = this.conversation.admit(body);
      start({
        caller,
        request,
        notify: (notice) => this.#notify(notice),
        deliver: (reply) => this.#stream.send(reply),
      });
    } catch (error) {
      const refusal = error instanceof RpcError ? error : RpcError.of(CODES.internal, new StewardError('internal', { request }));
      this.#notify({ jsonrpc: '2.0', id: null, error: refusal.toNode(request) });
    }
  }

  /** As `textOf`, in steps between which everybody else has a turn; undefined when the session has ended meanwhile. */
  async #largeText(data: Buffer): Promise<string | undefined> {
    const gauge = new JsonGauge();
    for (let at = 0; at < data.length; at += AT_ONCE) {
      judge(gauge, data.subarray(at, at + AT_ONCE));
      await setImmediate();
    }
    const text = data.toString('utf8');
    await setImmediate();
    return this.conversation.isClosed ? undefined : text;
  }

  #notify(node: Parameters<SocketStream['send']>[0]['node']): void {
    this.#stream.send({ node, weight: 0, release: () => undefined });
  }

  /** The caller as the broker sees it now; undefined when the connection has been closed for want of one. */
  async #admit(request: string): Promise<Caller | undefined> {
    try {
      const caller = await authenticate(this.#services.authenticator, { ...this.#credentials, request });
      if (caller.user === this.user) return caller;
    } catch (error) {
      // While the broker is away nobody can be judged anew: the client has to come back.
      if (!(error instanceof StewardError)) throw error;
    }
    this.end();
    return undefined;
  }

  #prepare(body: Message | Batch): void {
    if (body.kind === 'batch' && !takesBatches(this.conversation.version)) throw invalidRequest('this revision has no batches');
    if (body.kind !== 'request' || body.method !== 'initialize') return;
    const asked = (body.params as { protocolVersion?: unknown } | undefined)?.protocolVersion;
    if (typeof asked === 'string') this.conversation.speak(negotiate(asked));
  }
}

/** The text of a message whose UTF-8 has been checked. Throws RpcError for one that nests too deeply. */
function textOf(data: Buffer): string {
  judge(new JsonGauge(), data);
  if (data.length === 0) throw parseError();
  return data.toString('utf8');
}

function judge(gauge: JsonGauge, data: Buffer): void {
  gauge.push(data);
  if (gauge.tooMuch) throw invalidRequest('nested too deeply, or too many values');
}
