/** A JSON answer whose reader stops, or whose source breaks: nobody takes a part for the whole, and everything is released. */
import assert from 'node:assert/strict';
import { createServer, request, type IncomingMessage, type ServerResponse } from 'node:http';
import type { AddressInfo } from 'node:net';
import { test } from 'node:test';
import { StreamedText } from '../../rpc/json-stream.ts';
import { sendJson } from './json-body.ts';

const PIECE = 'z'.repeat(64 * 1024);

async function* endless(): AsyncGenerator<string> {
  for (;;) yield await Promise.resolve(PIECE);
}

/** Answers one request with these pieces; resolves to the answer as the client has it, what was said, and how often it was released. */
async function answered(pieces: AsyncIterable<string>, reads: boolean) {
  const said: string[] = [];
  let released = 0;
  const sent = Promise.withResolvers<undefined>();
  const answer = async (response: ServerResponse): Promise<void> => {
    const reply = { node: { text: new StreamedText(pieces) }, weight: 8 * 1024 * 1024, release: () => void (released += 1) };
    await sendJson(response, reply, (why) => said.push(why), { heavyMs: 100, lightMs: 60_000 });
    sent.resolve(undefined);
  };
  const server = createServer((_request, response) => void answer(response)).listen(0, '127.0.0.1');
  await new Promise((done) => server.once('listening', done));
  const { port } = server.address() as AddressInfo;
  const reader = await new Promise<IncomingMessage>((done) => request({ port, host: '127.0.0.1' }, done).end());
  const closed = new Promise((done) => reader.once('close', done));
  reader.on('error', () => undefined);
  if (reads) reader.resume();
  else reader.pause();
  await sent.promise;
  if (reads) await closed;
  reader.destroy();
  server.close();
  return { said, released, complete: reader.complete };
}

test('a reader that stands still loses its answer', async () => {
  const { said, released } = await answered(endless(), false);
  assert.deepEqual([said, released], [['the reader takes nothing'], 1]);
});

test('a source that breaks in the middle breaks the connection', async () => {
  async function* broken(): AsyncGenerator<string> {
    yield PIECE;
    await Promise.resolve();
    throw new Error('the disk broke');
  }
  assert.deepEqual(await answered(broken(), true), { said: ['the disk broke'], released: 1, complete: false });
});

test('what is whole is whole', async () => {
  async function* whole(): AsyncGenerator<string> {
    for (let pieces = 0; pieces < 40; pieces += 1) yield await Promise.resolve(PIECE);
  }
  assert.deepEqual(await answered(whole(), true), { said: [], released: 1, complete: true });
});
