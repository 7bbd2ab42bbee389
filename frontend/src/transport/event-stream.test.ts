/** A reader that takes nothing loses its stream, and nothing else happens. */
import assert from 'node:assert/strict';
import { createServer, request, type IncomingMessage } from 'node:http';
import type { AddressInfo } from 'node:net';
import { test } from 'node:test';
import { StreamedText } from '../rpc/json-stream.ts';
import { EventStream } from './event-stream.ts';

const PIECE = 'z'.repeat(64 * 1024);

async function* endless(): AsyncGenerator<string> {
  for (;;) yield await Promise.resolve(PIECE);
}

/** An event stream and a reader of it that reads nothing after the head. */
async function stalled(patience: { heavyMs: number; lightMs: number }) {
  const dropped: string[] = [];
  const opened = Promise.withResolvers<EventStream>();
  const server = createServer((_request, response) => {
    opened.resolve(
      new EventStream(
        { response, lasts: true, keepAliveMs: 1000, dropped: (why) => dropped.push(why), patience },
        { endpoint: '/x' },
      ),
    );
  }).listen(0, '127.0.0.1');
  await new Promise((done) => server.once('listening', done));
  const { port } = server.address() as AddressInfo;
  const reader = await new Promise<IncomingMessage>((done) => request({ port, host: '127.0.0.1' }, done).end());
  reader.on('error', () => undefined);
  reader.pause();
  const end = (): void => {
    reader.destroy();
    server.close();
  };
  return { stream: await opened.promise, dropped, end };
}

const reply = (weight: number, released: () => void) => ({
  node: { text: new StreamedText(endless()) },
  weight,
  release: released,
});

test('wire 077: a reader that stands still is given up early when much waits, and everything is released', async () => {
  const { stream, dropped, end } = await stalled({ heavyMs: 100, lightMs: 60_000 });
  let released = 0;
  for (let i = 0; i < 3; i += 1) stream.send(reply(3_000_000, () => (released += 1)));
  const began = performance.now();
  while (dropped.length === 0) await new Promise((done) => setTimeout(done, 10));
  assert.ok(performance.now() - began < 50_000);
  assert.deepEqual([dropped, released], [['the reader takes nothing'], 3]);
  stream.send(reply(1, () => (released += 1)));
  assert.equal(released, 4);
  end();
});

test('and late when little waits', async () => {
  const { stream, dropped, end } = await stalled({ heavyMs: 40, lightMs: 300 });
  stream.send(reply(1, () => undefined));
  const began = performance.now();
  while (dropped.length === 0) await new Promise((done) => setTimeout(done, 10));
  assert.ok(performance.now() - began >= 250);
  end();
});

test('an answer that breaks in the middle ends the stream: half an answer is none', async () => {
  const { stream, dropped, end } = await stalled({ heavyMs: 1000, lightMs: 1000 });
  async function* broken(): AsyncGenerator<string> {
    yield PIECE;
    throw new Error('the disk broke');
  }
  stream.send({ node: [new StreamedText(broken())], weight: 1, release: () => undefined });
  while (dropped.length === 0) await new Promise((done) => setTimeout(done, 10));
  assert.deepEqual(dropped, ['the disk broke']);
  end();
});

test('too many answers for a reader that stands still', async () => {
  const { stream, dropped, end } = await stalled({ heavyMs: 60_000, lightMs: 60_000 });
  stream.send(reply(1, () => undefined));
  for (let i = 0; i < 5000 && dropped.length === 0; i += 1) stream.send({ node: {}, weight: 0, release: () => undefined });
  assert.equal(dropped.length, 1);
  end();
});
