/** Two connected ends: content under credit, breaches, slow readers, memory. */
import assert from 'node:assert/strict';
import { mkdtempSync, rmSync } from 'node:fs';
import { connect, createServer, type Socket } from 'node:net';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { after, test } from 'node:test';
import { setTimeout as sleep } from 'node:timers/promises';
import { Connection, type ConnectionHandlers, type ConnectionOptions } from './connection.ts';
import { type ProtocolError, encodeChunk, encodeCredit, encodeJson } from './frames.ts';
import { CREDIT_WINDOW } from './messages.ts';
import type { IncomingStream } from './streams.ts';

const directory = mkdtempSync(join(tmpdir(), 'steward-ipc-'));
after(() => rmSync(directory, { recursive: true }));
let sockets = 0;

/** Two ends of one Unix connection, as the daemon has it. */
async function socketPair(): Promise<[Socket, Socket]> {
  const path = join(directory, String((sockets += 1)));
  const accepted = Promise.withResolvers<Socket>();
  const server = createServer({ allowHalfOpen: true }, accepted.resolve).listen(path);
  await new Promise((done) => server.once('listening', done));
  const near = connect({ path, allowHalfOpen: true });
  const far = await accepted.promise;
  server.close();
  return [near, far];
}

interface End {
  readonly connection: Connection;
  readonly messages: unknown[];
  violation: ProtocolError | undefined;
  ended: boolean;
}

function end(socket: Socket, options: Partial<ConnectionOptions> = {}): End {
  const messages: unknown[] = [];
  const handlers: ConnectionHandlers = {
    message: (value) => messages.push(value),
    violation: (error) => (it.violation = error),
    end: () => (it.ended = true),
    closed: () => undefined,
  };
  const connection = new Connection(socket, { handlers, ...options });
  const it: End = { connection, messages, violation: undefined, ended: false };
  return it;
}

async function eventually(condition: () => boolean): Promise<void> {
  for (let tries = 0; !condition(); tries += 1) {
    if (tries > 400) throw new Error('the condition never held');
    await sleep(5);
  }
}

async function read(stream: IncomingStream): Promise<number> {
  let bytes = 0;
  await stream.drain((piece) => Promise.resolve((bytes += piece.length)));
  return bytes;
}

test('messages arrive in order, also after the other side closed its half', async () => {
  const [a, b] = await socketPair();
  const [near, far] = [end(a), end(b)];
  for (let n = 0; n < 100; n += 1) near.connection.send({ n });
  void near.connection.finish();
  await eventually(() => far.ended);
  const expected = Array.from({ length: 100 }, (_, n) => ({ n }));
  assert.deepEqual(far.messages, expected);
  far.connection.send({ late: true });
  await eventually(() => near.messages.length === 1);
  assert.equal(near.connection.send({ text: 'x'.repeat(1024 * 1024) }), false);
  far.connection.destroy();
  near.connection.destroy();
});

test('the end that answers gathers what it sends in one turn, but for what leaves at once', async () => {
  const [a, b] = await socketPair();
  const [near, far] = [end(a), end(b, { answers: true })];
  for (const [n, atOnce] of [false, false, true, false].entries()) {
    far.connection.send({ n }, atOnce);
    assert.equal(b.writableLength > 0, !atOnce, String(n));
  }
  await eventually(() => near.messages.length === 4);
  for (const { connection } of [near, far]) connection.destroy();
});

test('100 MB pass with flat memory, and arrive whole', async () => {
  const [a, b] = await socketPair();
  const [near, far] = [end(a), end(b)];
  const out = near.connection.openOutgoing(1);
  const reading = read(far.connection.openIncoming(1));
  const piece = Buffer.alloc(100_000, 7);
  const send = async (total: number): Promise<void> => {
    for (let sent = 0; sent < total; sent += piece.length) await out.write(piece);
  };
  await send(40_000_000); // what the allocator keeps is taken by now
  const before = process.memoryUsage.rss();
  let peak = before;
  for (let part = 0; part < 6; part += 1) {
    await send(10_000_000);
    peak = Math.max(peak, process.memoryUsage.rss());
  }
  near.connection.send({ type: 'result' });
  await eventually(() => far.messages.length === 1);
  assert.ok(far.connection.finishIncoming(1));
  assert.equal(await reading, 100_000_000);
  assert.ok(peak - before < 40_000_000, `RSS grew by ${peak - before}`);
  near.connection.destroy();
  far.connection.destroy();
});

test('the sender stops at the window and goes on as the reader reads', async () => {
  const [a, b] = await socketPair();
  const [near, far] = [end(a), end(b)];
  const out = near.connection.openOutgoing(1);
  const incoming = far.connection.openIncoming(1);
  let sent = false;
  const writing = out.write(Buffer.alloc(CREDIT_WINDOW * 2)).then(() => (sent = true));
  await eventually(() => incoming.allowed === 0);
  await sleep(30);
  assert.equal(sent, false);
  assert.equal(out.outstanding, CREDIT_WINDOW);
  const reading = read(incoming);
  await writing;
  near.connection.send({ type: 'end' });
  await eventually(() => far.messages.length === 1);
  far.connection.finishIncoming(1);
  assert.equal(await reading, CREDIT_WINDOW * 2);
  near.connection.destroy();
  far.connection.destroy();
});

test('a reader that takes nothing ends the write, and abort ends it at once', async () => {
  const [a, b] = await socketPair();
  const near = end(a, { stallMs: 50 });
  const far = end(b);
  far.connection.openIncoming(1);
  const out = near.connection.openOutgoing(1);
  await assert.rejects(out.write(Buffer.alloc(CREDIT_WINDOW + 1)), { key: 'cancelled' });
  const second = near.connection.openOutgoing(2);
  far.connection.openIncoming(2);
  const writing = second.write(Buffer.alloc(CREDIT_WINDOW + 1));
  second.abort(new Error('stop'));
  await assert.rejects(writing, /stop/);
  near.connection.destroy();
  far.connection.destroy();
});

/** Sends raw bytes to an end and returns the breach that they are. */
async function breach(bytes: Buffer, prepare: (connection: Connection) => void = () => undefined): Promise<string> {
  const [a, b] = await socketPair();
  const far = end(b);
  prepare(far.connection);
  a.on('error', () => undefined).write(bytes);
  await eventually(() => far.violation !== undefined);
  a.destroy();
  far.connection.destroy();
  return far.violation?.message ?? '';
}

const chunk = (id: number, size: number): Buffer => encodeChunk(id, Buffer.alloc(size));

// abuse 10: broker
test('breaches of the flow control are violations', async () => {
  assert.match(await breach(chunk(5, 1)), /chunk for unknown call 5/);
  assert.match(await breach(encodeCredit(5, 1)), /credit for unknown call 5/);
  assert.match(await breach(encodeCredit(5, 1), (far) => void far.openOutgoing(5)), /beyond the window/);
  assert.match(await breach(encodeCredit(5, 0xffff_ffff), (far) => void far.openOutgoing(5)), /beyond the window/);
  const tooMuch = Buffer.concat([...Array.from({ length: 4 }, () => chunk(5, 65536)), chunk(5, 1)]);
  assert.match(await breach(tooMuch, (far) => void far.openIncoming(5)), /chunk beyond the credit/);
});

test('what was on its way when a stream ended is no violation, but more is', async () => {
  const abandoned = (far: Connection): void => far.abandonIncoming(far.openIncoming(5));
  const full = Buffer.concat(Array.from({ length: 4 }, () => chunk(5, 65536)));
  assert.match(await breach(Buffer.concat([full, chunk(5, 1)]), abandoned), /unknown call/);
  const [a, b] = await socketPair();
  const [near, far] = [end(a), end(b)];
  abandoned(far.connection);
  a.write(full);
  near.connection.send({ after: 'chunks' });
  const out = far.connection.openOutgoing(9);
  await out.write(Buffer.alloc(1000));
  far.connection.closeOutgoing(out);
  a.write(encodeCredit(9, 1000));
  near.connection.send({ after: 'credit' });
  await eventually(() => far.messages.length === 2);
  assert.equal(far.violation, undefined);
  assert.equal(far.connection.finishIncoming(5), true);
  assert.equal(far.connection.finishIncoming(5), false);
  near.connection.destroy();
  far.connection.destroy();
});

test('tiny chunks cost no more memory than their bytes', async () => {
  const [a, b] = await socketPair();
  const far = end(b);
  const incoming = far.connection.openIncoming(1);
  const tiny = Buffer.concat(Array.from({ length: 1024 }, () => chunk(1, 1)));
  const before = process.memoryUsage().arrayBuffers;
  for (let part = 0; part < 64; part += 1) a.write(tiny);
  await eventually(() => incoming.allowed === CREDIT_WINDOW - 65536);
  (globalThis as { gc?: () => void }).gc?.();
  assert.ok(process.memoryUsage().arrayBuffers - before < 8_000_000);
  far.connection.finishIncoming(1);
  assert.equal(await read(incoming), 65536);
  a.destroy();
  far.connection.destroy();
});

test('a frame that stays incomplete is a violation after its time', { timeout: 10_000 }, async () => {
  const frame = encodeJson({ text: 'x'.repeat(95) });
  assert.ok(frame);
  const began = performance.now();
  assert.match(await breach(frame.subarray(0, 40)), /not completed/);
  const took = performance.now() - began;
  assert.ok(took > 1800 && took < 4000, `${took} ms`);
});

test('a broker reads no more requests while its answers are not taken', async () => {
  const [a, b] = await socketPair();
  const answer = { text: 'x'.repeat(1_000_000) };
  let seen = 0;
  const connection: Connection = new Connection(b, {
    answers: true,
    handlers: {
      message: () => {
        seen += 1;
        connection.send(answer);
      },
      violation: (error) => assert.ifError(error),
      end: () => undefined,
      closed: () => undefined,
    },
  });
  a.pause();
  const request = encodeJson({ pad: 'y'.repeat(70_000) });
  assert.ok(request);
  for (let n = 0; n < 50; n += 1) a.write(request);
  await sleep(300);
  const held = seen;
  assert.ok(held < 15, `${held} requests were read`);
  a.resume();
  await eventually(() => seen === 50);
  a.destroy();
  connection.destroy();
});
