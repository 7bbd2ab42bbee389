/** Requests of the revisions that have sessions: `initialize` begins one, its id comes with everything after that. */
import { answerAccepted, answerEmpty, answerJson, answerText } from '../answer.ts';
import { EventStream } from '../event-stream.ts';
import type { Exchange } from '../exchange.ts';
import { closing, nameUser } from '../gate.ts';
import { keepAliveMs, mayBegin, newConversation, type TransportServices } from '../services.ts';
import { invalidParams, invalidRequest } from '../../rpc/errors.ts';
import type { Batch, Message, Request } from '../../rpc/message.ts';
import { isLegacyVersion, negotiate, takesBatches, takesPrimedStreams } from '../../rpc/versions.ts';
import type { Caller } from '../../session/caller.ts';
import type { Reply } from '../../session/conversation.ts';
import { newSessionId } from '../../session/sessions.ts';
import { acceptedBy } from './accept.ts';
import { PostAnswer } from './post-answer.ts';
import { McpSession } from './session.ts';

const SESSION_HEADER = 'Mcp-Session-Id';

/** One POST of a session, or the one that begins it. Throws RpcError for what is answered 400. */
export function postLegacy(exchange: Exchange, caller: Caller, body: Message | Batch, services: TransportServices): void {
  if (body.kind === 'request' && body.method === 'initialize') return begin(exchange, caller, body, services);
  const session = sessionOf(exchange, caller, services);
  if (session === undefined) return;
  checkVersion(exchange);
  if (body.kind === 'batch' && !takesBatches(session.conversation.version)) {
    throw invalidRequest('this revision has no batches');
  }
  serve(exchange, caller, body, session, services);
}

function begin(exchange: Exchange, caller: Caller, message: Request, services: TransportServices): void {
  if (sessionHeader(exchange) !== undefined && findSession(exchange, caller, services) !== undefined) {
    throw invalidRequest('this session is initialized already');
  }
  if (!isAcceptable(exchange)) return;
  const asked = (message.params as { protocolVersion?: unknown } | undefined)?.protocolVersion;
  if (typeof asked !== 'string') throw invalidParams();
  if (!mayBegin(exchange, caller.user, services)) return;
  const id = newSessionId();
  const conversation = newConversation(exchange, services, { version: negotiate(asked), surface: 'legacy' });
  const session = new McpSession(id, caller, conversation, services.sessions);
  services.sessions.add(session);
  exchange.response.setHeader(SESSION_HEADER, id);
  nameUser(exchange);
  serve(exchange, caller, message, session, services);
}

/** Whether the client takes what we answer; false when it has been told that it does not. */
function isAcceptable({ request, response }: Exchange): boolean {
  const { json, stream } = acceptedBy(request.headers.accept);
  if (!json && !stream) answerText(response, 406, 'not acceptable: the answer is application/json or text/event-stream');
  return json || stream;
}

function serve(
  exchange: Exchange,
  caller: Caller,
  body: Message | Batch,
  session: McpSession,
  services: TransportServices,
): void {
  session.touch();
  if (body.kind === 'unfit') throw body.error;
  const start = session.conversation.admit(body);
  const request = exchange.id;
  if (!expectsAnswer(body)) {
    answerAccepted(exchange.response);
    return start({ caller, request, deliver: (reply) => reply.release() });
  }
  if (!isAcceptable(exchange)) return;
  const accepted = acceptedBy(exchange.request.headers.accept);
  const dropped = (why: string): void => services.dropped(caller.user, why);
  const answer = new PostAnswer({ exchange, accepted, body, keepAliveMs: keepAliveMs(services), dropped });
  session.follow(answer);
  start({
    caller,
    request,
    notify: (notice) => answer.notify(notice),
    deliver: (reply) => {
      if (isRefusedHandshake(body, reply)) session.end();
      answer.deliver(reply);
    },
    done: () => answer.done(),
  });
}

/** A handshake that was refused (too many requests) has begun nothing. */
function isRefusedHandshake(body: Message | Batch, { node }: Reply): boolean {
  const isHandshake = body.kind === 'request' && body.method === 'initialize';
  return isHandshake && typeof node === 'object' && node !== null && 'error' in node;
}

function expectsAnswer(body: Message | Batch): boolean {
  const members = body.kind === 'batch' ? body.members : [body];
  return members.some(({ kind }) => kind === 'request' || kind === 'unfit');
}

/**
 * GET: the back channel of a session. It carries notices and no answers. A client that lost it and comes back may be here before
 * the loss is noticed: who names the stream gets a new one in its place.
 */
export function openBackChannel(exchange: Exchange, caller: Caller, services: TransportServices): void {
  const { request, response } = exchange;
  if (!acceptedBy(request.headers.accept).stream) {
    return answerText(response, 406, 'not acceptable: this is a text/event-stream');
  }
  const session = sessionOf(exchange, caller, services);
  if (session === undefined) return;
  checkVersion(exchange);
  if (session.streamId !== undefined && request.headers['last-event-id'] !== session.streamId) {
    return answerText(response, 409, 'this session has a stream already');
  }
  const dropped = (why: string): void => services.dropped(caller.user, why);
  const options = { response, lasts: true, keepAliveMs: keepAliveMs(services), dropped };
  const isPrimed = takesPrimedStreams(session.conversation.version);
  const giveUp = session.takeStream((id) => new EventStream(options, isPrimed ? { id } : {}));
  response.once('close', giveUp);
}

/** DELETE: ends a session. */
export function endSession(exchange: Exchange, caller: Caller, services: TransportServices): void {
  const session = sessionOf(exchange, caller, services);
  if (session === undefined) return;
  session.end();
  answerEmpty(exchange.response, {});
}

/** The session that a request is of; undefined when it has been answered: 400 without an id, 404 for one that is not theirs. */
function sessionOf(exchange: Exchange, caller: Caller, services: TransportServices): McpSession | undefined {
  if (sessionHeader(exchange) === undefined) throw invalidRequest(`${SESSION_HEADER} is missing`);
  const session = findSession(exchange, caller, services);
  if (session === undefined) {
    const error = { code: -32001, message: 'no such session' };
    answerJson(exchange.response, 404, { jsonrpc: '2.0', error }, closing(exchange));
  }
  return session;
}

function findSession(exchange: Exchange, { user }: Caller, { sessions }: TransportServices): McpSession | undefined {
  return sessions.find(sessionHeader(exchange) ?? '', user, McpSession);
}

function sessionHeader({ request }: Exchange): string | undefined {
  const value = request.headers['mcp-session-id'];
  return typeof value === 'string' && value !== '' ? value : undefined;
}

/** A session knows its revision; a header that names one that is not spoken here is a mistake all the same. */
function checkVersion({ request }: Exchange): void {
  const version = request.headers['mcp-protocol-version'];
  if (version === undefined || (typeof version === 'string' && isLegacyVersion(version))) return;
  throw invalidRequest('MCP-Protocol-Version names no revision that has sessions here');
}
