/** A reader of a WebSocket that takes nothing, or does not answer, loses its connection. */
import assert from 'node:assert/strict';
import { once } from 'node:events';
import type { AddressInfo } from 'node:net';
import { test } from 'node:test';
import { WebSocket, WebSocketServer } from 'ws';
import { StreamedText } from '../rpc/json-stream.ts';
import { SocketStream, type SocketStreamOptions } from './socket-stream.ts';

async function* endless(): AsyncGenerator<string> {
  for (;;) yield await Promise.resolve('z'.repeat(64 * 1024));
}

/** A stream and a client that reads nothing. */
async function stalled(options: Partial<SocketStreamOptions>) {
  const server = new WebSocketServer({ port: 0, host: '127.0.0.1' });
  await once(server, 'listening');
  const accepted = once(server, 'connection') as Promise<[WebSocket]>;
  const client = new WebSocket(`ws://127.0.0.1:${(server.address() as AddressInfo).port}`, { autoPong: false });
  client.on('error', () => undefined);
  await once(client, 'open');
  const [socket] = await accepted;
  const dropped = Promise.withResolvers<string>();
  const stream = new SocketStream({ socket, pingMs: 20, dropped: dropped.resolve, ...options });
  const end = (): void => {
    client.terminate();
    server.close();
  };
  return { stream, socket, client, dropped: dropped.promise, end };
}

test('wire 135: one that takes nothing: what waits stays small, then the connection ends and all is released', async () => {
  const { stream, socket, client, dropped, end } = await stalled({ patience: { heavyMs: 100, lightMs: 60_000 } });
  client.pause();
  let released = 0;
  let most = 0;
  const watch = setInterval(() => (most = Math.max(most, socket.bufferedAmount)), 5);
  const reply = () => ({ node: [new StreamedText(endless())], weight: 3_000_000, release: () => (released += 1) });
  for (let i = 0; i < 3; i += 1) stream.send(reply());
  assert.equal(await dropped, 'the reader takes nothing');
  clearInterval(watch);
  assert.equal(released, 3);
  assert.ok(most < 4 * 1024 * 1024, String(most));
  stream.send(reply());
  assert.equal(released, 4);
  end();
});

test('wire 134: one that does not answer pings', async () => {
  const { dropped, socket, end } = await stalled({ pongMs: 100 });
  assert.equal(await dropped, 'the client does not answer pings');
  assert.notEqual(socket.readyState, socket.OPEN);
  end();
});
