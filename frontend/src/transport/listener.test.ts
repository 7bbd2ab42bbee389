/** TLS, and what else comes to a TLS port, over the whole frontend. */
import assert from 'node:assert/strict';
import { connect } from 'node:net';
import { after, before, test } from 'node:test';
import { connect as tlsConnect, type TLSSocket } from 'node:tls';
import { makePair } from '@steward/certs/certificate.ts';
import { http } from '../testing/client.ts';
import { startHarness, type Harness } from '../testing/harness.ts';
import { Listener } from './listener.ts';

let it: Harness;
before(async () => {
  it = await startHarness({ tls: await makePair(['srv.example', 'localhost', '127.0.0.1']) });
});
after(() => it.stop());

test('a session over TLS; the names of the certificate are origins', async () => {
  const client = await it.sse('alice', { headers: { origin: 'https://srv.example:8443' } });
  assert.equal(client.status, 200);
  assert.deepEqual((await client.ask(1, 'ping')).result, {});
  const other = await http(it.target, { path: '/sse', headers: { origin: 'https://other.example' } });
  assert.equal(other.status, 403);
});

/** Writes what it is told to and returns what came until the end. */
function plain(text: string): Promise<string> {
  return new Promise((done) => {
    const socket = connect({ port: it.target.port, host: '127.0.0.1' }, () => socket.write(text));
    let answer = '';
    socket.on('data', (bytes) => (answer += bytes.toString()));
    socket.on('error', () => undefined);
    socket.on('close', () => done(answer));
  });
}

test('wire 022: plain HTTP is told so; half a handshake and garbage hold up nobody', async () => {
  const half = connect(it.target.port, '127.0.0.1', () => half.write(Buffer.from([0x16, 3, 1, 2, 0, 1])));
  half.on('error', () => undefined);
  const answer = await plain('GET /sse HTTP/1.1\r\nHost: x\r\nAuthorization: Bearer alice\r\n\r\n');
  assert.match(answer, /^HTTP\/1\.1 400 Bad Request\r\n/);
  assert.ok(answer.endsWith('\r\n\r\nClient sent an HTTP request to an HTTPS server.'));
  assert.equal(await plain('\0garbage'), '');
  const client = await it.sse();
  assert.deepEqual((await client.ask(1, 'ping')).result, {});
  half.destroy();
});

/** A TLS connection that is open, with its session's certificate. */
function secure(options: object = {}): Promise<TLSSocket> {
  return new Promise((done, fail) => {
    const socket: TLSSocket = tlsConnect({ port: it.target.port, host: '127.0.0.1', rejectUnauthorized: false, ...options });
    socket.once('secureConnect', () => done(socket)).once('error', fail);
  });
}

test('a renewed certificate of a new broker is used for new connections, and its names are origins', async () => {
  const fresh = await makePair(['new.example', '127.0.0.1']);
  it.broker.options.tls = fresh;
  await it.broker.kill();
  await it.broker.start();
  const late = performance.now() + 60_000;
  for (;;) {
    const socket = await secure();
    const names = socket.getPeerX509Certificate()?.subjectAltName ?? '';
    socket.destroy();
    if (names.includes('new.example')) break;
    assert.ok(performance.now() < late, names);
    await new Promise((done) => setTimeout(done, 20));
  }
  const from = async (origin: string): Promise<number> =>
    (await http({ port: it.target.port, ca: fresh.cert }, { path: '/nowhere', headers: { origin } })).status;
  assert.deepEqual([await from('https://new.example'), await from('https://srv.example')], [404, 403]);
});

test('wire 070: a head that is too long is answered over TLS too, whatever of it is still on its way', async () => {
  const socket = await secure();
  let answer = '';
  socket.on('data', (bytes: Buffer) => (answer += bytes.toString()));
  socket.on('error', () => undefined);
  const closed = new Promise((done) => socket.once('close', done));
  socket.write(`GET /sse HTTP/1.1\r\nHost: x\r\nX: ${'a'.repeat(300_000)}\r\n\r\n`);
  await closed;
  assert.match(answer, /^HTTP\/1\.1 431 [^]*\r\n\r\n$/);
});

test('versions below the least one are refused', async () => {
  const socket = await secure({ maxVersion: 'TLSv1.2' });
  assert.equal(socket.getProtocol(), 'TLSv1.2');
  socket.destroy();
  await assert.rejects(secure({ minVersion: 'TLSv1.1', maxVersion: 'TLSv1.1', ciphers: 'ALL:@SECLEVEL=0' }));
});

test('an address that this host has not is an error, a port in use too', async () => {
  const listener = new Listener({
    tls: undefined,
    minVersion: '1.2',
    serve: () => undefined,
    upgrade: () => undefined,
    sessionsPerUser: () => 1,
  });
  await assert.rejects(listener.listen('192.0.2.1:0'), { code: 'EADDRNOTAVAIL' });
  await assert.rejects(listener.listen(`127.0.0.1:${it.target.port}`), { code: 'EADDRINUSE' });
  assert.equal(await listener.listen('127.0.0.1:0'), true);
  assert.match(listener.addresses[0] ?? '', /^127\.0\.0\.1:\d+$/);
  listener.stop();
});
