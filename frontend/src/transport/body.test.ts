/** A body that comes too slowly. */
import assert from 'node:assert/strict';
import { createServer } from 'node:http';
import { connect, type AddressInfo } from 'node:net';
import { test } from 'node:test';
import { BodyError, readBody } from './body.ts';

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
