/**
 * subscriptions/listen: a stream of the notices that a client asked for, each marked with the request it belongs to. It lasts until
 * one side ends it.
 */
import { answerText } from '../answer.ts';
import { EventStream } from '../event-stream.ts';
import type { Exchange } from '../exchange.ts';
import { keepAliveMs, mayBegin, newConversation, type TransportServices } from '../services.ts';
import { invalidParams } from '../../rpc/errors.ts';
import type { JsonNode } from '../../rpc/json-stream.ts';
import type { Request } from '../../rpc/message.ts';
import { modernResult } from '../../rpc/modern-result.ts';
import { MODERN_VERSION } from '../../rpc/versions.ts';
import type { Caller } from '../../session/caller.ts';
import { newSessionId, type Session } from '../../session/sessions.ts';
import { acceptedBy } from './accept.ts';

export const LISTEN = 'subscriptions/listen';
const ID_KEY = 'io.modelcontextprotocol/subscriptionId';

/** Opens the stream. Throws RpcError when nothing is said about what to listen for. */
export function listen(exchange: Exchange, caller: Caller, message: Request, services: TransportServices): void {
  const { response, request } = exchange;
  const wanted = wantedBy(message.params);
  if (!acceptedBy(request.headers.accept).stream) {
    return answerText(response, 406, 'not acceptable: the answer is a text/event-stream');
  }
  if (!mayBegin(exchange, caller.user, services)) return;
  const { user, token } = caller;
  const dropped = (why: string): void => services.dropped(user, why);
  const stream = new EventStream({ response, lasts: true, keepAliveMs: keepAliveMs(services), dropped });
  const _meta = { [ID_KEY]: message.id };
  const notify = (method: string, params: Readonly<Record<string, JsonNode>>): void =>
    stream.notify({ jsonrpc: '2.0', method, params: { ...params, _meta } });
  const session: Session = {
    id: newSessionId(),
    user,
    token,
    conversation: newConversation(exchange, services, { version: MODERN_VERSION, surface: 'modern' }),
    toolsChanged: () => {
      if (wanted.toolsListChanged === true) notify('notifications/tools/list_changed', {});
    },
    end: () => stream.destroy(),
    finish: async () => {
      stream.notify({ jsonrpc: '2.0', id: message.id, result: modernResult(LISTEN, { _meta }) });
      await stream.end();
    },
  };
  services.sessions.add(session);
  response.once('close', () => services.sessions.remove(session));
  notify('notifications/subscriptions/acknowledged', { notifications: { ...wanted } });
}

/** What of the request can be honoured: nothing but the list of tools ever changes here. */
function wantedBy(params: unknown): { toolsListChanged?: true } {
  const filter = (params as { notifications?: unknown } | undefined)?.notifications;
  if (typeof filter !== 'object' || filter === null || Array.isArray(filter)) throw invalidParams('notifications is missing');
  const asked = 'toolsListChanged' in filter && filter.toolsListChanged === true;
  return asked ? { toolsListChanged: true } : {};
}
