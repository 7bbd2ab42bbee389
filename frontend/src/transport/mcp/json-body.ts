/** A JSON answer of any size as the body of an HTTP response, at the reader's speed. */
import type { ServerResponse } from 'node:http';
import { CODES } from '../../rpc/errors.ts';
import { encodeJson, type JsonNode } from '../../rpc/json-stream.ts';
import type { Reply } from '../../session/conversation.ts';
import { answerEncoded } from '../answer.ts';
import { patiently, type Patience } from '../patience.ts';

/** Sends it and releases it. Never rejects: what cannot be completed breaks the connection, so that nobody takes it for whole. */
export async function sendJson(
  response: ServerResponse,
  reply: Reply,
  dropped: (reason: string) => void,
  patience?: Patience,
): Promise<void> {
  try {
    const text = encodeJson(reply.node);
    if (typeof text === 'string') return answerEncoded(response, statusOf(reply.node), text);
    response.writeHead(200, { 'Content-Type': 'application/json' });
    for await (const piece of text) {
      if (response.destroyed) return;
      if (!response.write(piece)) await drained(response, reply.weight, dropped, patience);
    }
    response.end();
  } catch (error) {
    response.destroy();
    dropped(error instanceof Error ? error.message : String(error));
  } finally {
    reply.release();
  }
}

/** What went wrong while a request was served is an answer like any other, but for one error of the protocol. */
function statusOf(node: JsonNode): number {
  const { error } = node as { error?: { code?: unknown } };
  return error?.code === CODES.missingCapability ? 400 : 200;
}

async function drained(
  response: ServerResponse,
  waiting: number,
  dropped: (reason: string) => void,
  patience?: Patience,
): Promise<void> {
  const { promise, resolve } = Promise.withResolvers<void>();
  response.once('drain', resolve);
  response.once('close', resolve);
  const giveUp = (): void => {
    if (response.destroyed) return;
    response.destroy();
    dropped('the reader takes nothing');
  };
  await patiently(promise, () => waiting, giveUp, patience).finally(() => {
    response.off('drain', resolve);
    response.off('close', resolve);
  });
}
