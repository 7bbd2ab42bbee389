/** Bodies that come whole, and bodies that come too slowly. */
import assert from 'node:assert/strict';
import { createServer } from 'node:http';
import { connect, type AddressInfo } from 'node:net';
import { test } from 'node:test';
import type { RpcError } from '../rpc/errors.ts';
import { bodyAtHand, BodyError, readBody } from './body.ts';

test('wire 067: a byte now and then is not enough; steady bytes are', async () => {
  const outcomes: unknown[] = [];
  const server = createServer((request) => {
    readBody(request, 1_000_000, 200).then(
      (body) => outcomes.push(body.length),
      (error: unknown) => outcomes.push(error instanceof BodyError ? error.status : error),
    );
  }).listen(0, '127.0.0.1');
  await new Promise((done) => server.once('listening', done));
  const feed = async (piece: string, pieces: number): Promise<void> => {
    const socket = connect((server.address() as AddressInfo).port, '127.0.0.1');
    socket.write(`POST / HTTP/1.1\r\nHost: x\r\nContent-Length: ${piece.length * pieces}\r\n\r\n`);
    for (let i = 0; i < pieces; i += 1) {
      socket.write(piece);
      await new Promise((done) => setTimeout(done, 20));
    }
    socket.destroy();
  };
  await feed(' ', 25);
  assert.deepEqual(outcomes, [408]);
  await feed(' '.repeat(20_000), 25);
  assert.deepEqual(outcomes, [408, 500_000]);
  server.close();
});

/** What becomes of a body that comes whole, judged as it is and piece by piece. */
async function bothWays(body: Buffer, maxBytes: number): Promise<readonly unknown[]> {
  const outcomes: unknown[] = [];
  const told = (error: unknown): unknown => (error instanceof BodyError ? error.status : (error as RpcError).code);
  for (const read of [bodyAtHand, readBody]) {
    const done = Promise.withResolvers<undefined>();
    const server = createServer((request, response) => {
      // as in the daemon: somebody is asked first, and meanwhile the body has come
      setImmediate(() => {
        void Promise.try(() => read(request, maxBytes))
          .then(
            (text) => outcomes.push(text),
            (error: unknown) => outcomes.push(told(error)),
          )
          .then(() => response.end(() => done.resolve(undefined)));
      });
    }).listen(0, '127.0.0.1');
    await new Promise((listening) => server.once('listening', listening));
    const socket = connect((server.address() as AddressInfo).port, '127.0.0.1');
    const head = `POST / HTTP/1.1\r\nHost: x\r\nConnection: close\r\nContent-Length: ${body.length}\r\n\r\n`;
    socket.on('error', () => undefined).end(Buffer.concat([Buffer.from(head), body]));
    await done.promise;
    socket.destroy();
    server.close();
  }
  return outcomes;
}

test('a small body that has come already is judged as one that comes piece by piece', async () => {
  const nested = (depth: number): Buffer => Buffer.from('['.repeat(depth) + ']'.repeat(depth));
  const texts = ['{"a":"b"}', '', 'é', `"${'['.repeat(100)}"`, '\u{feff}{}'];
  for (const text of texts) {
    const expected = text.replace('\u{feff}', '');
    assert.deepEqual(await bothWays(Buffer.from(text), 1000), [expected, expected], text);
  }
  assert.deepEqual(await bothWays(nested(64), 1000), [nested(64).toString(), nested(64).toString()]);
  assert.deepEqual(await bothWays(nested(65), 1000), [-32600, -32600]);
  assert.deepEqual(await bothWays(Buffer.from([0x22, 0xff, 0x22]), 1000), [-32700, -32700]);
  const tooLarge = await bothWays(Buffer.alloc(2000, 0x20), 1000);
  assert.deepEqual(tooLarge, [undefined, 413]); // left to the other way
});

test('everybody else has a turn of the event loop between the steps that a large body takes, and a small one waits for none', async () => {
  for (const [size, turns] of [
    [1000, 0],
    [2 * 1024 * 1024, 2],
  ] as const) {
    const seen = Promise.withResolvers<number>();
    const server = createServer((request, response) => {
      let turned = 0;
      const turn = (): void => {
        if ((turned += 1) < 10) setImmediate(turn);
      };
      request.once('end', () => setImmediate(turn));
      void readBody(request, 4 * 1024 * 1024).then((body) => {
        seen.resolve(body.length === size ? turned : -1);
        response.end();
      });
    }).listen(0, '127.0.0.1');
    await new Promise((listening) => server.once('listening', listening));
    const { port } = server.address() as AddressInfo;
    const response = await fetch(`http://127.0.0.1:${port}/`, { method: 'POST', body: ' '.repeat(size) });
    assert.equal(await seen.promise, turns, String(size));
    await response.arrayBuffer();
    server.close();
  }
});
