/**
 * The endpoint `/audit/live`: the records of the audit log as they are written, one JSON object in each text message, for users
 * granted `audit/watch`. The broker decides that, for every stretch of the feed anew; what is held here of a reader that does not
 * read is one piece, and then the reader is given up.
 */
import { setTimeout as sleep } from 'node:timers/promises';
import { StewardError } from '@steward/shared/errors.ts';
import { WebSocketServer, type WebSocket } from 'ws';
import { authenticate, type Caller } from '../session/caller.ts';
import type { Credentials } from '../session/auth.ts';
import { answerText } from './answer.ts';
import type { Exchange } from './exchange.ts';
import { admit, closing, unavailable } from './gate.ts';
import type { Endpoint } from './router.ts';
import { keepAliveMs, type TransportServices } from './services.ts';
import { SocketStream } from './socket-stream.ts';
import { isGranted } from '../tools/listing.ts';

const GRANT = 'audit/watch';
/** Seconds of one stretch. */
const STRETCH_SECONDS = 300;
/** Readers at once: each takes one of the turns that the broker has for calls. */
const MOST = { user: 2, total: 8 } as const;
/** What a reader may send: nothing that is looked at. */
const MAX_PAYLOAD = 1024;
const RETRY_MS = 1000;
/** Status codes of a close (RFC 6455 section 7.4.1, and the IANA registry). */
const CLOSE = { going: 1001, policy: 1008, later: 1013 } as const;

export function liveEndpoint(services: TransportServices): Endpoint {
  const upgrades = new WebSocketServer({
    noServer: true,
    perMessageDeflate: false,
    clientTracking: false,
    maxPayload: MAX_PAYLOAD,
    handleProtocols: () => false,
  });
  /** Users of the feeds that are open. */
  const open: string[] = [];
  return {
    GET: (exchange) =>
      answerText(exchange.response, 426, 'this is a WebSocket', { Upgrade: 'websocket', Connection: 'Upgrade, close' }),
    UPGRADE: (exchange) => upgrade(exchange, upgrades, open, services),
  };
}

async function upgrade(
  exchange: Exchange,
  upgrades: WebSocketServer,
  open: string[],
  services: TransportServices,
): Promise<void> {
  const admitted = await admit(exchange, services.authenticator);
  if (admitted === undefined) return;
  const { caller, credentials } = admitted;
  const { user } = caller;
  if (services.stopping()) return unavailable(exchange, 'the daemon is shutting down');
  // For the answer to the upgrade alone: the broker judges every stretch.
  if (!isGranted(caller.grants, GRANT)) {
    const { message } = new StewardError('watch_not_granted', { user });
    return answerText(exchange.response, 403, message, closing(exchange));
  }
  if (open.length >= MOST.total || open.filter((one) => one === user).length >= MOST.user) {
    return answerText(exchange.response, 429, 'too many readers of the audit feed', closing(exchange));
  }
  const taken = exchange.takeSocket?.();
  if (taken === undefined) return;
  upgrades.handleUpgrade(exchange.request, taken.socket, taken.head, (socket) => {
    open.push(user);
    socket.once('close', () => open.splice(open.indexOf(user), 1));
    void new LiveFeed(exchange.id, socket, credentials, services).run(user);
  });
}

class LiveFeed {
  readonly #request: string;
  readonly #socket: WebSocket;
  readonly #credentials: Credentials;
  readonly #services: TransportServices;
  readonly #gone = new AbortController();
  /** The record that was sent last. */
  #last: number | undefined;
  #count = 0;
  #rest = Buffer.alloc(0);

  constructor(request: string, socket: WebSocket, credentials: Credentials, services: TransportServices) {
    this.#request = request;
    this.#socket = socket;
    this.#credentials = credentials;
    this.#services = services;
  }

  /** Stretch after stretch until the reader goes, or may not watch any more. Never rejects. */
  async run(user: string): Promise<void> {
    const socket = this.#socket;
    const { authenticator, dropped } = this.#services;
    socket.on('error', () => undefined); // `close` follows
    socket.once('close', () => this.#gone.abort(new StewardError('cancelled')));
    const stream = new SocketStream({ socket, pingMs: keepAliveMs(this.#services), dropped: (why) => dropped(user, why) });
    while (!this.#gone.signal.aborted) {
      try {
        const request = `${this.#request}.${(this.#count += 1)}`;
        const caller = await authenticate(authenticator, { ...this.#credentials, request });
        if (caller.user !== user) return socket.close(CLOSE.policy);
        await this.#stretch(caller, request, stream);
      } catch (error) {
        if (!(await this.#goesOn(error))) return;
      }
    }
  }

  /** What was cut off in the middle comes again: a stretch begins behind the last whole record. */
  async #stretch(caller: Caller, request: string, stream: SocketStream): Promise<void> {
    this.#rest = Buffer.alloc(0);
    await caller.root({
      op: GRANT,
      args: { seconds: STRETCH_SECONDS, ...(this.#last === undefined ? {} : { after: this.#last }) },
      request,
      deadlineMs: STRETCH_SECONDS * 1000 + RETRY_MS * 10,
      upload: undefined,
      repeatable: false,
      sink: (bytes) => this.#take(bytes, stream),
      signal: this.#gone.signal,
    });
  }

  /** Waits for each record to go out: until then the broker sends no more than the window of the call. */
  async #take(bytes: Uint8Array, stream: SocketStream): Promise<void> {
    this.#rest = Buffer.concat([this.#rest, bytes]);
    for (let end = this.#rest.indexOf(10); end >= 0; end = this.#rest.indexOf(10)) {
      const line = this.#rest.subarray(0, end);
      this.#rest = this.#rest.subarray(end + 1);
      const node = JSON.parse(line.toString()) as { readonly seq: number };
      await new Promise<void>((release) => stream.send({ node, weight: line.length, release }));
      if (this.#gone.signal.aborted) throw new StewardError('cancelled');
      this.#last = node.seq;
    }
  }

  /** Whether the feed goes on after an error: only while the broker is away. It cancels for a reader that takes nothing. */
  async #goesOn(error: unknown): Promise<boolean> {
    if (this.#gone.signal.aborted) return false;
    const key = error instanceof StewardError ? error.key : 'internal';
    if (this.#services.stopping()) this.#socket.close(CLOSE.going, 'the daemon is shutting down');
    else if (key === 'broker_unavailable') {
      await sleep(RETRY_MS, undefined, { signal: this.#gone.signal }).catch(() => undefined);
      return true;
    } else if (key === 'busy' || key === 'cancelled') this.#socket.close(CLOSE.later, 'too slow, or too many calls');
    else this.#socket.close(CLOSE.policy, 'the feed is over');
    return false;
  }
}
