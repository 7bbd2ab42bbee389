/** Requests of the revision without sessions: each says all about itself, and who hangs up has cancelled. */
import { answerAccepted, answerJson, answerText } from '../answer.ts';
import type { Exchange } from '../exchange.ts';
import { nameUser, unavailable } from '../gate.ts';
import { keepAliveMs, newConversation, type TransportServices } from '../services.ts';
import { methodNotFound } from '../../rpc/errors.ts';
import type { Message, Request } from '../../rpc/message.ts';
import { MODERN_VERSION } from '../../rpc/versions.ts';
import type { Caller } from '../../session/caller.ts';
import type { Conversation } from '../../session/conversation.ts';
import type { UserQueues } from '../../session/queue.ts';
import { newSessionId, type Session } from '../../session/sessions.ts';
import { acceptedBy } from './accept.ts';
import { LISTEN, listen } from './listen.ts';
import { PostAnswer } from './post-answer.ts';

/** One POST of this revision, whose envelope has been checked. */
export function postModern(
  exchange: Exchange,
  caller: Caller,
  message: Message,
  services: TransportServices,
  queues: UserQueues,
): void {
  const { request, response } = exchange;
  nameUser(exchange);
  if (message.kind !== 'request') return answerAccepted(response);
  if (services.stopping()) return unavailable(exchange, 'the daemon is shutting down');
  const { id, method } = message;
  if (method !== LISTEN && !services.dispatcher.has(method, 'modern')) {
    return answerJson(response, 404, { jsonrpc: '2.0', id, error: methodNotFound().toNode(exchange.id) });
  }
  const accepted = acceptedBy(request.headers.accept);
  if (!accepted.json && !accepted.stream) {
    return answerText(response, 406, 'not acceptable: the answer is application/json or text/event-stream');
  }
  if (method === LISTEN) return listen(exchange, caller, message, services);
  const queue = queues.of(caller.user);
  const conversation = newConversation(exchange, services, { version: MODERN_VERSION, surface: 'modern', queue });
  const dropped = (why: string): void => services.dropped(caller.user, why);
  const answer = new PostAnswer({ exchange, accepted, body: message, keepAliveMs: keepAliveMs(services), dropped });
  follow(caller, conversation, answer, services);
  start(exchange, caller, message, conversation, answer);
}

function start(exchange: Exchange, caller: Caller, message: Request, conversation: Conversation, answer: PostAnswer): void {
  conversation.admit(message)({
    caller,
    request: exchange.id,
    notify: (notice) => answer.notify(notice),
    deliver: (reply) => answer.deliver(reply),
    done: () => answer.done(),
  });
}

/** Keeps the request among what runs until its answer is out; who hangs up before has cancelled it. */
function follow(caller: Caller, conversation: Conversation, answer: PostAnswer, { sessions }: TransportServices): void {
  const { user, token } = caller;
  const running: Session = {
    id: newSessionId(),
    user,
    token,
    conversation,
    transient: true,
    end: () => conversation.close(),
    finish: () => answer.closed,
  };
  sessions.add(running);
  void answer.closed.then(() => {
    sessions.remove(running);
    conversation.close();
  });
}
