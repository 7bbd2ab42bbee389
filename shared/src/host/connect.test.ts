/** Proves that an address that is silent costs only its share of the time, and that the limit ends what is left. */
import assert from 'node:assert/strict';
import { spawn, type ChildProcess } from 'node:child_process';
import { once } from 'node:events';
import { connect, createServer, type Socket } from 'node:net';
import { after, before, describe, test } from 'node:test';
import { StewardError } from '../errors.ts';
import { failsWith } from '../testing/context.ts';
import { connectToAny } from './connect.ts';
import { TimeLimit } from './time-limit.ts';

/** A server that has stopped: once its queue is full the kernel answers nobody any more (listen(2), backlog). */
const SERVER = `const s = require('node:net').createServer();
s.listen({ port: 0, host: '127.0.0.1', backlog: 1 }, () => console.log(s.address().port));`;

describe('connecting to several addresses', () => {
  let silent: ChildProcess;
  let port = 0;
  const queued: Socket[] = [];

  before(async () => {
    silent = spawn(process.execPath, ['-e', SERVER], { stdio: ['ignore', 'pipe', 'ignore'] });
    const [line] = (await once(silent.stdout ?? silent, 'data')) as [Buffer];
    port = Number(line.toString());
    silent.kill('SIGSTOP');
    for (let n = 0; n < 4; n += 1) queued.push(connect(port, '127.0.0.1').on('error', () => undefined));
    await new Promise((done) => setTimeout(done, 100));
  });

  after(() => {
    silent.kill('SIGKILL');
    for (const socket of queued) socket.destroy();
  });

  test('another address gets its turn', async () => {
    const server = createServer((socket) => socket.destroy()).listen(port, '127.0.0.2');
    await once(server, 'listening');
    const limit = new TimeLimit(1, new AbortController().signal);
    const began = performance.now();
    const { address, latencyMs, socket } = await connectToAny(['127.0.0.1', '127.0.0.2'], port, limit);
    socket.destroy();
    limit.close();
    server.close();
    assert.equal(address, '127.0.0.2');
    assert.ok(performance.now() - began > 450 && latencyMs < 400, `${String(latencyMs)} ms`);
  });

  test('the limit, or the call, ends it', async () => {
    const limit = new TimeLimit(0.2, new AbortController().signal);
    await assert.rejects(connectToAny(['127.0.0.1'], port, limit), failsWith('timeout', { seconds: 0.2 }));
    assert.equal(limit.timedOut, 0.2);
    const call = new AbortController();
    const long = new TimeLimit(1e9, call.signal);
    setTimeout(() => call.abort(new StewardError('shutting_down')), 50);
    await assert.rejects(connectToAny(['127.0.0.1'], port, long), failsWith('shutting_down'));
    assert.equal(long.timedOut, undefined);
    long.close();
  });

  test('the reason is that of the last address', async () => {
    const limit = new TimeLimit(1, new AbortController().signal);
    await assert.rejects(connectToAny(['127.0.0.3', '127.0.0.4'], port, limit), { code: 'ECONNREFUSED', address: '127.0.0.4' });
    limit.close();
  });
});
