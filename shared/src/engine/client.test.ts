/** How the engine is asked, and what becomes of answers that are late, endless, broken or refusals. */
import assert from 'node:assert/strict';
import { chmodSync } from 'node:fs';
import { test } from 'node:test';
import { StewardError } from '../errors.ts';
import { failsWith } from '../testing/context.ts';
import { fail, fakeEngine } from '../testing/fake-engine.ts';
import { MAX_ANSWER, openEngine } from './client.ts';
import { openTransport } from './transport.ts';

const never = new AbortController().signal;
const LIST = { route: 'GET /containers/json', query: { all: 'true' }, signal: never } as const;

test('requests go out under the version that the engine names', async () => {
  await using fake = await fakeEngine({ 'GET /containers/json': [{ Id: 'x' }] }, '1.47');
  const engine = await fake.open();
  assert.equal(engine.minor, 47);
  assert.deepEqual(await engine.read(LIST), [{ Id: 'x' }]);
  assert.deepEqual(
    fake.calls.map(({ url }) => url),
    ['/v1.47/containers/json?all=true'],
  );
});

test('an engine that is too old or names no version is not asked for anything', async () => {
  for (const [version, key] of [
    ['1.24', 'docker_too_old'],
    ['2.0', 'docker_broken'],
    ['../x', 'docker_broken'],
  ] as const) {
    await using fake = await fakeEngine({}, version);
    await assert.rejects(fake.open(), failsWith(key));
    assert.equal(fake.calls.length, 0);
  }
});

test('no socket, and a socket that nobody serves', async () => {
  const socket = '/nonexistent/engine.sock';
  const text = `docker socket ${socket} not found - is a container engine installed and running on this host?`;
  await assert.rejects(openEngine(openTransport(socket), socket, never), { key: 'docker_socket_missing', message: text });
  const fake = await fakeEngine({});
  const gone = fake.socket;
  await fake[Symbol.asyncDispose]();
  await assert.rejects(openEngine(openTransport(gone), gone, never), failsWith('docker_socket_missing'));
  await assert.rejects(openEngine(openTransport('/etc/passwd'), '/etc/passwd', never), failsWith('docker_socket_missing'));
});

test('a socket that may not be used', async () => {
  await using fake = await fakeEngine({});
  const { socket } = fake;
  const isRoot = process.getuid?.() === 0;
  if (isRoot) process.seteuid?.(65_534);
  else chmodSync(socket, 0);
  try {
    const refused = failsWith('docker_unreachable', { path: socket, reason: 'permission denied' });
    await assert.rejects(openEngine(openTransport(socket), socket, never), refused);
  } finally {
    if (isRoot) process.seteuid?.(0);
  }
});

test('refusals carry the status and words of the engine, on one line', async () => {
  const object = 'a'.repeat(64);
  const said: [number, string] = [500, ''];
  await using fake = await fakeEngine({ 'POST /containers/{container}/start': (response) => fail(response, ...said) });
  const engine = await fake.open();
  const start = (): Promise<unknown> => engine.act({ route: 'POST /containers/{container}/start', object, signal: never });
  said.splice(0, 2, 409, 'in\nuse\u001b[31m');
  await assert.rejects(start, { key: 'docker_conflict', message: 'docker API returned 409: in use [31m' });
  said.splice(0, 2, 404, 'No such container: x');
  await assert.rejects(start, { key: 'docker_not_found', message: 'docker API returned 404: No such container: x' });
  said.splice(0, 2, 500, 'y'.repeat(100_000));
  await assert.rejects(start, (error: StewardError) => error.code === 'ENGINE' && error.message.length < 1100);
});

test('an error without JSON is passed on as it is; one without end is cut', async () => {
  await using fake = await fakeEngine({
    'GET /volumes': (response) => response.writeHead(503).end('overloaded'),
    'GET /networks': (response) => {
      response.writeHead(500);
      const more = (): void => void (!response.destroyed && response.write('z'.repeat(65_536), () => setImmediate(more)));
      more();
    },
  });
  const engine = await fake.open();
  await assert.rejects(engine.read({ route: 'GET /volumes', signal: never }), { message: 'docker API returned 503: overloaded' });
  await assert.rejects(engine.read({ route: 'GET /networks', signal: never }), failsWith('docker_api', { status: 500 }));
});

// abuse 91: broker
test('an answer without end is refused at its limit, and its connection closed', async () => {
  let sent = 0;
  await using fake = await fakeEngine({
    'GET /containers/json': (response) => {
      const more = (): void => {
        if (response.destroyed) return;
        sent += 65_536;
        response.write(Buffer.alloc(65_536, 0x20), () => setImmediate(more));
      };
      more();
    },
  });
  const engine = await fake.open();
  await assert.rejects(engine.read(LIST), { code: 'TOO_LARGE' });
  await fake.calls[0]?.closed;
  assert.ok(sent < MAX_ANSWER + 8 * 1024 * 1024, `${sent} bytes were sent`);
});

// abuse 91: broker
test('nonsense, and an answer that breaks off', async () => {
  await using fake = await fakeEngine({
    'GET /volumes': (response) => response.end('{"Volumes": ['),
    'GET /networks': (response) => {
      response.writeHead(200, { 'Content-Length': '1000' }).write('[');
      setTimeout(() => response.destroy(), 20);
    },
    'GET /images/json': (response) => response.socket?.end('this is not HTTP\r\n\r\n'),
    'GET /system/df': (response) => response.socket?.destroy(),
  });
  const engine = await fake.open();
  for (const route of ['GET /volumes', 'GET /networks', 'GET /images/json', 'GET /system/df'] as const) {
    await assert.rejects(engine.read({ route, signal: never }), (error: StewardError) => error.code === 'ENGINE', route);
  }
});

test('a stopped call closes its request: before the answer begins, and while it drips', async () => {
  await using fake = await fakeEngine({
    'GET /volumes': () => undefined,
    'GET /networks': (response) => {
      const timer = setInterval(() => response.write('['), 10);
      response.on('close', () => clearInterval(timer));
    },
  });
  const engine = await fake.open();
  for (const route of ['GET /volumes', 'GET /networks'] as const) {
    const controller = new AbortController();
    const reading = engine.read({ route, signal: controller.signal });
    setTimeout(() => controller.abort(new StewardError('timeout', { seconds: 1 })), 60);
    await assert.rejects(reading, failsWith('timeout'), route);
    await fake.calls.at(-1)?.closed;
  }
  await assert.rejects(engine.read({ route: 'GET /volumes', signal: AbortSignal.abort() }), failsWith('cancelled'));
});

test('a status of 304 says that nothing was to be done', async () => {
  const object = 'b'.repeat(64);
  await using fake = await fakeEngine({
    'POST /containers/{container}/start': (response) => response.writeHead(304).end(),
    'POST /containers/{container}/stop': (response) => response.writeHead(204).end(),
  });
  const engine = await fake.open();
  assert.equal(await engine.act({ route: 'POST /containers/{container}/start', object, signal: never }), 'unchanged');
  const stop = { route: 'POST /containers/{container}/stop', object, query: { t: '10' }, signal: never } as const;
  assert.equal(await engine.act(stop), 'ok');
  assert.deepEqual(
    fake.calls.map(({ url, body }) => [url, body]),
    [
      [`/v1.41/containers/${object}/start`, undefined],
      [`/v1.41/containers/${object}/stop?t=10`, undefined],
    ],
  );
});
