/**
 * A client that costs little itself: HTTPS and SSE on kept connections, answers put together from buffers and parsed once. What it
 * costs counts as steward's.
 */
import { Agent, request } from 'node:https';
import type { IncomingMessage } from 'node:http';
import type { Pair } from '../../test/support/pair.ts';

export interface Answer {
  readonly text: string;
  readonly isError: boolean;
  /** Bytes of the event. */
  readonly bytes: number;
}

export interface BenchClient {
  /** Calls a tool. Rejects when it fails: a failure is no measurement. */
  call(name: string, args?: Readonly<Record<string, unknown>>): Promise<Answer>;
  close(): void;
}

interface Message {
  readonly id?: number;
  readonly result?: { readonly content: readonly { readonly text: string }[]; readonly isError?: boolean };
  readonly error?: { readonly message: string };
}

const EVENT_END = '\n\n';

/** Hands on every event of a stream, whole. */
export function readEvents(reply: IncomingMessage, take: (event: string, bytes: number) => void): void {
  let pieces: Buffer[] = [];
  reply.on('data', (piece: Buffer) => {
    let rest = piece;
    for (;;) {
      // both newlines come in one write of the server; a piece may still end between them
      const end = rest.indexOf(EVENT_END);
      const split = end < 0 && rest[0] === 10 && pieces.at(-1)?.at(-1) === 10;
      if (end < 0 && !split) break;
      pieces.push(rest.subarray(0, split ? 1 : end + EVENT_END.length));
      rest = rest.subarray(split ? 1 : end + EVENT_END.length);
      const event = Buffer.concat(pieces);
      pieces = [];
      take(event.toString('utf8'), event.length);
    }
    if (rest.length > 0) pieces.push(rest);
  });
}

export async function connectClient(pair: Pair, user = 'ops'): Promise<BenchClient> {
  const agent = new Agent({ keepAlive: true, maxSockets: 64, ca: pair.ca });
  const headers = { authorization: `Bearer ${pair.token(user)}` };
  const stream = await new Promise<IncomingMessage>((done, fail) => {
    request(`${pair.url}/sse`, { ca: pair.ca, agent: false, headers: { ...headers, accept: 'text/event-stream' } }, done)
      .on('error', fail)
      .end();
  });
  const waiting = new Map<number, { done: (answer: Answer) => void; fail: (error: Error) => void }>();
  const endpoint = Promise.withResolvers<string>();
  readEvents(stream, (event, bytes) => {
    const data = event.slice(event.indexOf('\ndata: ') + 7, -EVENT_END.length);
    if (event.startsWith('event: endpoint')) return endpoint.resolve(data);
    if (!event.startsWith('event: message')) return;
    const message = JSON.parse(data) as Message;
    const { done, fail } = waiting.get(message.id ?? -1) ?? {};
    waiting.delete(message.id ?? -1);
    const text = message.result?.content[0]?.text ?? '';
    if (message.error !== undefined) fail?.(new Error(message.error.message));
    else if (message.result?.isError === true) fail?.(new Error(text));
    else done?.({ text, isError: false, bytes });
  });
  stream.once('close', () => {
    for (const { fail } of waiting.values()) fail(new Error('the stream ended'));
  });
  const path = await endpoint.promise;
  const post = (body: string): Promise<number> =>
    new Promise((done, fail) => {
      const outgoing = request(`${pair.url}${path}`, {
        method: 'POST',
        agent,
        headers: { ...headers, 'content-type': 'application/json', 'content-length': Buffer.byteLength(body) },
      });
      outgoing.on('response', (reply) => reply.resume().once('end', () => done(reply.statusCode ?? 0)));
      outgoing.on('error', fail).end(body);
    });
  let next = 0;
  return {
    call: async (name, args = {}) => {
      const id = ++next;
      const answer = new Promise<Answer>((done, fail) => waiting.set(id, { done, fail }));
      answer.catch(() => undefined);
      const status = await post(JSON.stringify({ jsonrpc: '2.0', id, method: 'tools/call', params: { name, arguments: args } }));
      if (status !== 202) throw new Error(`POST answered ${status}`);
      return answer;
    },
    close: () => {
      stream.destroy();
      agent.destroy();
    },
  };
}
