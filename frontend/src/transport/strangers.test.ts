/** Proves that strangers cannot pile up connections, and that nobody who was recognised gives way to them. */
import assert from 'node:assert/strict';
import { connect, createServer, type AddressInfo, type Socket } from 'node:net';
import { test } from 'node:test';
import { Strangers } from './strangers.ts';

test('the oldest stranger gives way to the newest; the recognised do not, nor do those who left count', async () => {
  const strangers = new Strangers(3);
  const accepted: Socket[] = [];
  const server = createServer((socket) => {
    strangers.add(socket);
    accepted.push(socket);
  });
  await new Promise<void>((done) => server.listen(0, '127.0.0.1', done));
  const { port } = server.address() as AddressInfo;
  const clients: Socket[] = [];
  const open = async (): Promise<void> => {
    const before = accepted.length;
    clients.push(connect(port, '127.0.0.1').on('error', () => undefined));
    while (accepted.length === before) await new Promise(setImmediate);
  };
  const gone = (): number[] => accepted.flatMap((socket, index) => (socket.destroyed ? [index] : []));
  try {
    for (let n = 0; n < 3; n += 1) await open();
    strangers.recognise(accepted[0] as Socket);
    await open();
    assert.deepEqual(gone(), []);
    await open();
    assert.deepEqual(gone(), [1]);
    clients[2]?.destroy();
    while (accepted[2]?.destroyed !== true) await new Promise(setImmediate);
    await open();
    assert.deepEqual(gone(), [1, 2]);
    await open();
    assert.deepEqual(gone(), [1, 2, 3]);
  } finally {
    for (const socket of [...clients, ...accepted]) socket.destroy();
    server.close();
  }
});
