/**
 * The SSE endpoint: GET opens a stream, which is the session; POST says something in it and is only acknowledged, the answer
 * comes on the stream. A stream belongs to the user who opened it.
 */
import { RpcError } from '../rpc/errors.ts';
import { readMessages } from '../rpc/message.ts';
import { SSE_VERSION } from '../rpc/versions.ts';
import type { Caller } from '../session/caller.ts';
import type { Conversation, Posting } from '../session/conversation.ts';
import { newSessionId, type Session } from '../session/sessions.ts';
import { answerAccepted, answerJson } from './answer.ts';
import { BodyError } from './body.ts';
import { EventStream } from './event-stream.ts';
import { queryValue, type Exchange } from './exchange.ts';
import { admit, nameUser } from './gate.ts';
import { bodyOf, refuse, refuseBody, unsupportedBody } from './post.ts';
import { keepAliveMs, mayBegin, newConversation, type TransportServices } from './services.ts';

class SseSession implements Session {
  readonly id: string;
  readonly user: string;
  readonly token: string;
  readonly conversation: Conversation;
  readonly stream: EventStream;

  constructor(id: string, { user, token }: Caller, conversation: Conversation, stream: EventStream) {
    this.id = id;
    this.user = user;
    this.token = token;
    this.conversation = conversation;
    this.stream = stream;
  }

  end(): void {
    this.stream.destroy();
  }

  finish(): Promise<void> {
    return this.stream.end();
  }
}

/** GET /sse. */
export async function openStream(exchange: Exchange, services: TransportServices): Promise<void> {
  const admitted = await admit(exchange, services.authenticator);
  const { response } = exchange;
  if (admitted === undefined || response.destroyed || !mayBegin(exchange, admitted.caller.user, services)) return;
  const { caller } = admitted;
  const id = newSessionId();
  nameUser(exchange);
  const conversation = newConversation(exchange, services, { version: SSE_VERSION, surface: 'sse' });
  const stream = new EventStream(
    { response, lasts: true, keepAliveMs: keepAliveMs(services), dropped: (why) => services.dropped(caller.user, why) },
    { endpoint: `/message?session_id=${id}` },
  );
  const session = new SseSession(id, caller, conversation, stream);
  services.sessions.add(session);
  response.once('close', () => {
    services.sessions.remove(session);
    conversation.close();
  });
}

/** POST /message. */
export async function postMessage(exchange: Exchange, services: TransportServices): Promise<void> {
  const admitted = await admit(exchange, services.authenticator);
  if (admitted === undefined) return;
  const { caller } = admitted;
  const sessionId = queryValue(exchange, 'session_id');
  if (sessionId === null || sessionId === '') return refuse(exchange, 400, 'session_id is missing');
  const session = services.sessions.find(sessionId, caller.user, SseSession);
  if (session === undefined) return refuse(exchange, 404, 'no such session');
  const unsupported = unsupportedBody(exchange);
  if (unsupported !== undefined) return refuse(exchange, 415, unsupported);
  try {
    const body = await bodyOf(exchange, services.config().limits.max_body_bytes);
    if (session.conversation.isClosed) return refuse(exchange, 404, 'no such session'); // while the body came
    const start = session.conversation.admit(readMessages(body));
    answerAccepted(exchange.response);
    start({ caller, request: exchange.id, deliver: (reply) => session.stream.send(reply) } satisfies Posting);
  } catch (error) {
    answerRefusal(exchange, error);
  }
}

/** What cannot be answered on the stream is answered here. */
function answerRefusal(exchange: Exchange, error: unknown): void {
  if (error instanceof BodyError) return refuseBody(exchange, error);
  if (!(error instanceof RpcError)) throw error;
  answerJson(exchange.response, 400, { jsonrpc: '2.0', id: null, error: error.toNode(exchange.id) });
}
