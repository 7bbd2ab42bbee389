/** A client that opens a stream, says something on it and does not read: for tests of what waits for whom. */
import type { IncomingMessage } from 'node:http';
import { request } from 'node:https';
import type { Pair } from './pair.ts';
import { exchange } from './sse-client.ts';

export interface Reader {
  /** Something of an answer has come. */
  readonly begun: boolean;
  post(message: object): Promise<void>;
  close(): void;
}

/** Reads as far as the event that says where to post, then only what the system takes by itself. */
export async function openReader(pair: Pair, user = 'ops'): Promise<Reader> {
  const headers = { authorization: `Bearer ${pair.token(user)}`, accept: 'text/event-stream' };
  const stream = await new Promise<IncomingMessage>((done, fail) => {
    request(`${pair.url}/sse`, { ca: pair.ca, agent: false, headers }, done).on('error', fail).end();
  });
  stream.on('error', () => undefined);
  const endpoint = await new Promise<string>((done) => {
    stream.once('data', (piece: Buffer) => done(/data: (\S+)/.exec(piece.toString('latin1'))?.[1] ?? ''));
  });
  stream.pause();
  const target = { url: pair.url, ca: pair.ca, token: pair.token(user) };
  return {
    get begun() {
      return stream.readableLength > 0;
    },
    post: async (message) => {
      const json = { 'content-type': 'application/json' };
      const { status } = await exchange(target, 'POST', endpoint, json, JSON.stringify(message));
      if (status !== 202) throw new Error(`POST answered ${String(status)}`);
    },
    close: () => stream.destroy(),
  };
}
