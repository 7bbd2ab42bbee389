/**
 * The endpoint `/mcp` (Streamable HTTP): reads a POST, tells to which era it belongs and hands it on; GET and DELETE belong to
 * sessions. Trusted with the order of the checks: who is asking comes first, then what.
 */
import { RpcError } from '../../rpc/errors.ts';
import { readMessages, type Batch, type Id, type Message } from '../../rpc/message.ts';
import type { Caller } from '../../session/caller.ts';
import { UserQueues } from '../../session/queue.ts';
import { answerJson } from '../answer.ts';
import { BodyError } from '../body.ts';
import type { Exchange } from '../exchange.ts';
import { admit } from '../gate.ts';
import { bodyOf, refuse, refuseBody, unsupportedBody } from '../post.ts';
import type { Endpoint } from '../router.ts';
import type { TransportServices } from '../services.ts';
import { eraOf } from './era.ts';
import { endSession, openBackChannel, postLegacy } from './legacy.ts';
import { postModern } from './modern.ts';

export function mcpEndpoint(services: TransportServices): Endpoint {
  const queues = new UserQueues(() => services.config().limits.max_calls_per_session);
  const admitted =
    (serve: (exchange: Exchange, caller: Caller) => void | Promise<void>) =>
    async (exchange: Exchange): Promise<void> => {
      const admitted = await admit(exchange, services.authenticator);
      if (admitted === undefined || exchange.response.destroyed) return;
      try {
        await serve(exchange, admitted.caller);
      } catch (error) {
        answerRefusal(exchange, error, undefined);
      }
    };
  return {
    GET: admitted((exchange, caller) => openBackChannel(exchange, caller, services)),
    POST: admitted((exchange, caller) => post(exchange, caller, services, queues)),
    DELETE: admitted((exchange, caller) => endSession(exchange, caller, services)),
  };
}

async function post(exchange: Exchange, caller: Caller, services: TransportServices, queues: UserQueues): Promise<void> {
  const unsupported = unsupportedBody(exchange);
  if (unsupported !== undefined) return refuse(exchange, 415, unsupported);
  const body = readMessages(await bodyOf(exchange, services.config().limits.max_body_bytes));
  try {
    const era = eraOf(body, exchange.request.headers);
    if (era === 'modern' && body.kind !== 'batch') postModern(exchange, caller, body, services, queues);
    else postLegacy(exchange, caller, body, services);
  } catch (error) {
    answerRefusal(exchange, error, idOf(body));
  }
}

/** The id of a request, where it can be told. */
function idOf(body: Message | Batch): Id | undefined {
  return body.kind === 'request' || body.kind === 'unfit' ? body.id : undefined;
}

/** What cannot be served at all. Without an id that can be read there is none in the answer. */
function answerRefusal(exchange: Exchange, error: unknown, id: Id | undefined): void {
  if (error instanceof BodyError) return refuseBody(exchange, error);
  if (!(error instanceof RpcError)) throw error;
  answerJson(exchange.response, 400, { jsonrpc: '2.0', id, error: error.toNode(exchange.id) });
}
