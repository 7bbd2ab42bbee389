/**
 * The SSE endpoint: GET opens a stream, which is the session; POST says something in it and is only acknowledged, the answer
 * comes on the stream. A stream belongs to the user who opened it.
 */
import type { DaemonConfig } from '@steward/shared/config/types.ts';
import type { Dispatcher } from '../rpc/dispatcher.ts';
import { RpcError } from '../rpc/errors.ts';
import { readMessages } from '../rpc/message.ts';
import { SSE_VERSION } from '../rpc/methods.ts';
import type { Authenticator } from '../session/auth.ts';
import { Conversation, type Posting } from '../session/conversation.ts';
import type { RateLimiter } from '../session/rate.ts';
import { newSessionId, type Session, type Sessions } from '../session/sessions.ts';
import { answerJson, answerText } from './answer.ts';
import { BodyError, discardBody, readBody } from './body.ts';
import { EventStream } from './event-stream.ts';
import type { Exchange } from './exchange.ts';
import { admitCaller, closing, unavailable } from './gate.ts';

export interface SseSession extends Session {
  readonly conversation: Conversation;
  readonly stream: EventStream;
}

export interface SseServices {
  readonly authenticator: Authenticator;
  readonly sessions: Sessions<SseSession>;
  readonly dispatcher: Dispatcher;
  readonly rate: RateLimiter;
  readonly config: () => DaemonConfig;
  /** True once the process is about to end. */
  readonly stopping: () => boolean;
  readonly dropped: (user: string, reason: string) => void;
}

const LIMIT_STATUS = { user: 429, total: 503 } as const;
const SESSION_RETRY_SECONDS = '10';

/** GET /sse. */
export async function openStream(exchange: Exchange, services: SseServices): Promise<void> {
  const caller = await admitCaller(exchange, services.authenticator);
  const { response, query } = exchange;
  if (caller === undefined || response.destroyed) return;
  if (services.stopping()) return unavailable(exchange, 'the daemon is shutting down');
  const { sessions, dispatcher, rate, config } = services;
  const full = sessions.full(caller.user, config().limits);
  if (full !== undefined) {
    return answerText(response, LIMIT_STATUS[full], 'too many sessions', { 'Retry-After': SESSION_RETRY_SECONDS });
  }
  const id = newSessionId();
  const names = query.get('names') === 'underscore' ? 'underscore' : undefined;
  const conversation = new Conversation({ dispatcher, rate, limits: () => config().limits, version: SSE_VERSION, names });
  const { user, token } = caller;
  const stream = new EventStream(
    { response, keepAliveMs: config().server.sse_keepalive_seconds * 1000, dropped: (why) => services.dropped(user, why) },
    `/message?session_id=${id}`,
  );
  const session: SseSession = { id, user, token, conversation, stream, end: () => stream.destroy() };
  sessions.add(session);
  response.once('close', () => {
    sessions.remove(session);
    conversation.close();
  });
}

/** POST /message. */
export async function postMessage(exchange: Exchange, services: SseServices): Promise<void> {
  const caller = await admitCaller(exchange, services.authenticator);
  if (caller === undefined) return;
  const { request, response, query } = exchange;
  const sessionId = query.get('session_id');
  if (sessionId === null || sessionId === '') return refuse(exchange, 400, 'session_id is missing');
  const session = services.sessions.find(sessionId, caller.user);
  if (session === undefined) return refuse(exchange, 404, 'no such session');
  const unsupported = unsupportedBody(exchange);
  if (unsupported !== undefined) return refuse(exchange, 415, unsupported);
  try {
    const { max_body_bytes } = services.config().limits;
    const reading = readBody(request, max_body_bytes);
    if (exchange.expectsContinue && Number(request.headers['content-length'] ?? 0) <= max_body_bytes) response.writeContinue();
    const start = session.conversation.admit(readMessages(await reading));
    answerText(response, 202, 'Accepted');
    start({ caller, request: exchange.id, deliver: (reply) => session.stream.send(reply) } satisfies Posting);
  } catch (error) {
    answerRefusal(exchange, error);
  }
}

/** Why the kind of body is none that we take, if so. */
function unsupportedBody({ request }: Exchange): string | undefined {
  const type = (request.headers['content-type'] ?? '').split(';')[0]?.trim().toLowerCase();
  if (type !== 'application/json') return 'Content-Type must be application/json';
  const encoding = request.headers['content-encoding']?.trim().toLowerCase() ?? 'identity';
  return encoding === 'identity' ? undefined : 'Content-Encoding is not supported';
}

function refuse(exchange: Exchange, status: number, text: string): void {
  answerText(exchange.response, status, text, closing(exchange));
  discardBody(exchange.request);
}

/** What cannot be answered on the stream is answered here. */
function answerRefusal(exchange: Exchange, error: unknown): void {
  if (error instanceof BodyError) {
    if (error.status !== undefined) refuse(exchange, error.status, error.message);
  } else if (error instanceof RpcError) {
    answerJson(exchange.response, 400, { jsonrpc: '2.0', id: null, error: error.toNode(exchange.id) });
  } else throw error;
}
