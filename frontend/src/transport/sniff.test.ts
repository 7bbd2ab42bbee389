/** Plain HTTP, garbage and silence on a port that speaks TLS. */
import assert from 'node:assert/strict';
import { connect, createServer, type AddressInfo, type Server } from 'node:net';
import { after, before, test } from 'node:test';
import { setTimeout as sleep } from 'node:timers/promises';
import { sniff } from './sniff.ts';

const BODY = 'Client sent an HTTP request to an HTTPS server.';
let server: Server;
let tlsPieces: Buffer[] = [];

before(async () => {
  server = createServer({ allowHalfOpen: true }, (socket) => {
    const taken = (): void => {
      // as node:tls does with a socket that has been read from
      tlsPieces = [];
      for (let piece = socket.read() as Buffer | null; piece !== null; piece = socket.read() as Buffer | null)
        tlsPieces.push(piece);
      socket.end('taken');
    };
    sniff(socket, { tls: taken }, 300);
  }).listen(0, '127.0.0.1');
  await new Promise((done) => server.once('listening', done));
});
after(() => server.close());

/** Sends the pieces some milliseconds apart and returns what came back until the end. */
function talk(pieces: readonly (string | Buffer)[], pauseMs = 2): Promise<string> {
  return new Promise((done) => {
    const socket = connect({ port: (server.address() as AddressInfo).port, host: '127.0.0.1', allowHalfOpen: true });
    let text = '';
    socket.setEncoding('latin1').on('data', (piece: string) => (text += piece));
    socket.on('error', () => undefined);
    socket.on('end', () => socket.end());
    socket.on('close', () => done(text));
    void (async () => {
      for (const piece of pieces) {
        if (socket.writable) socket.write(piece);
        await sleep(pauseMs);
      }
    })();
  });
}

test('wire 021: a plain request is told so, complete or byte by byte', async () => {
  const request = 'GET /sse HTTP/1.1\r\nHost: x\r\n\r\n';
  for (const pieces of [[request], [...request], ['POST /message HTTP/1.1\nHost: x\n\n', '{"a":1}'.repeat(1000)]]) {
    const answer = await talk(pieces);
    assert.match(answer, /^HTTP\/1\.1 400 /);
    assert.equal(answer.slice(answer.indexOf('\r\n\r\n') + 4), BODY);
  }
});

test('an endless or unfinished plain request is answered too', async () => {
  assert.ok((await talk([`GET /${'x'.repeat(20_000)}`])).endsWith(BODY));
  assert.ok((await talk(['GET / HTTP/1.1\r\n'])).endsWith(BODY));
});

test('wire 022: garbage and silence are closed without a word', async () => {
  for (const pieces of [['\x00\x01\x02'], ['get / HTTP/1.1\r\n\r\n'], ['\r\n\r\n'], []]) assert.equal(await talk(pieces), '');
});

test('what begins a TLS handshake is handed on untouched, in pieces that stay below the first block of the TLS layer', async () => {
  const short = Buffer.from([0x16, 3, 1, 0, 5, 1, 2, 3, 4, 5]);
  // with post-quantum keys, and longer than one read may be
  const hellos = [short, ...[1000, 1001, 1586, 40_000].map((length) => Buffer.alloc(length, short))];
  for (const hello of hellos) {
    assert.equal(await talk([hello]), 'taken');
    const seen = Buffer.concat(tlsPieces);
    assert.deepEqual(seen, hello.subarray(0, seen.length));
    assert.ok(seen.length === hello.length || seen.length > 10_000, String(seen.length));
    assert.ok(tlsPieces.every(({ length }) => length <= 1000));
  }
});
