/** A connection whose socket reads into one buffer again and again: what arrives, holds, and the end. */
import assert from 'node:assert/strict';
import { mkdtempSync, rmSync } from 'node:fs';
import { createServer, type Socket } from 'node:net';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { after, test } from 'node:test';
import { setTimeout as sleep } from 'node:timers/promises';
import { Connection } from './connection.ts';
import { InboxSocket } from './inbox-socket.ts';

const directory = mkdtempSync(join(tmpdir(), 'steward-inbox-'));
after(() => rmSync(directory, { recursive: true }));

interface End {
  readonly connection: Connection;
  readonly messages: unknown[];
  readonly ended: Promise<void>;
}

function end(socket: Socket): End {
  const messages: unknown[] = [];
  const ended = Promise.withResolvers<void>();
  const handlers = {
    message: (value: unknown) => messages.push(value),
    violation: assert.ifError,
    end: ended.resolve,
    closed: () => undefined,
  };
  return { connection: new Connection(socket, { handlers }), messages, ended: ended.promise };
}

/** Both ends of a connection; the first reads into one buffer. */
async function pair(): Promise<[End, End]> {
  const accepted = Promise.withResolvers<Socket>();
  const server = createServer({ allowHalfOpen: true }, accepted.resolve).listen(join(directory, 's'));
  await new Promise((done) => server.once('listening', done));
  const socket = new InboxSocket({ allowHalfOpen: true });
  const near = end(socket.connect({ path: join(directory, 's') }));
  const far = end(await accepted.promise);
  server.close();
  return [near, far];
}

async function arrived({ messages }: End, count: number): Promise<void> {
  for (let tries = 0; messages.length < count && tries < 400; tries += 1) await sleep(5);
  assert.equal(messages.length, count);
}

test('what was read stays as it was when more is read, a hold holds, and the end is seen', async () => {
  const [near, far] = await pair();
  const stream = near.connection.openIncoming(1);
  const pieces: string[] = [];
  const drained = stream.drain(async (piece) => {
    await sleep(1); // the buffer has been used again by then
    pieces.push(Buffer.from(piece).toString('latin1'));
  });
  const outgoing = far.connection.openOutgoing(1);
  const text = (n: number): string => String.fromCharCode(97 + (n % 26)).repeat(n * 37);
  for (let n = 1; n <= 200; n += 1) {
    far.connection.send({ text: text(n) });
    await outgoing.write(Buffer.from(text(n)));
  }
  far.connection.send({ last: true });
  await arrived(near, 201);
  near.connection.finishIncoming(1);
  await drained;
  const expected = Array.from({ length: 200 }, (_, n) => text(n + 1));
  assert.deepEqual(
    near.messages.slice(0, 200),
    expected.map((one) => ({ text: one })),
  );
  assert.equal(pieces.join(''), expected.join(''));

  near.connection.hold('test');
  far.connection.send({ held: true });
  await sleep(50);
  assert.equal(near.messages.length, 201);
  near.connection.release('test');
  await arrived(near, 202);

  void far.connection.finish();
  await near.ended;
  near.connection.send({ after: 'the end' });
  await arrived(far, 1);
  near.connection.destroy();
  far.connection.destroy();
});
