/** The session against a stand-in: trust before the token, answers by id, errors with the right exit code. */
import assert from 'node:assert/strict';
import { createServer } from 'node:net';
import type { AddressInfo } from 'node:net';
import { after, before, test } from 'node:test';
import { Session } from './session.ts';

import { readFingerprint, type Trust } from './trust.ts';
import { CliError, EXIT, interrupted } from '../exit.ts';
import { startDouble, text, TOKEN, type Double } from '../testing/double.ts';

let double: Double;
before(async () => {
  double = await startDouble({
    old: true,
    answers: {
      'tools/call': ({ name }) => (name === 'slow' ? undefined : text(`answer of ${String(name)}`)),
      broken: () => ({
        error: { code: -32603, message: 'went wrong', data: { 'steward/request': 'r-1', 'steward/code': 'SYSTEM' } },
      }),
    },
  });
});
after(() => double.close());

async function open(trust: Trust, url = double.url, token = TOKEN): Promise<Session> {
  return Session.open({ url: new URL(url), trust, token });
}

async function failure(work: Promise<unknown>): Promise<CliError> {
  const error: unknown = await work.then(
    () => undefined,
    (reason: unknown) => reason,
  );
  assert.ok(error instanceof CliError, String(error));
  return error;
}

const pin = (fingerprint: string): Trust => ({ kind: 'fingerprint', sha256: readFingerprint(fingerprint) ?? '' });

test('a certificate file or a fingerprint makes the connection trusted', async () => {
  for (const trust of [{ kind: 'ca', pem: double.certificate } as const, pin(double.fingerprint)]) {
    const session = await open(trust);
    assert.deepEqual(await session.request('ping'), {});
    session.close();
  }
});

test('without trust not one byte of the token is sent', async () => {
  const other = await startDouble({ old: true });
  try {
    for (const trust of [{ kind: 'system' } as const, pin('00'.repeat(32)), pin('ff'.repeat(32))]) {
      const error = await failure(open(trust, other.url));
      assert.equal(error.exit, EXIT.unreachable);
      assert.match(error.message, /certificate/);
    }
    assert.deepEqual(other.authorizations, []);
    assert.ok(other.connections() === 3, 'the connection itself was made');
  } finally {
    await other.close();
  }
});

test('a certificate of another name is refused although it is trusted', async () => {
  const elsewhere = await startDouble({ old: true, host: '127.0.0.2' });
  const error = await failure(open({ kind: 'ca', pem: elsewhere.certificate }, elsewhere.url));
  assert.match(error.message, /made out to another name/);
  assert.equal(error.exit, EXIT.unreachable);
  await elsewhere.close();
});

test('an unknown token is exit 4', async () => {
  const error = await failure(open({ kind: 'ca', pem: double.certificate }, double.url, 'b'.repeat(64)));
  assert.equal(error.exit, EXIT.unauthenticated);
});

test('nobody there, and something else there, are exit 3', async () => {
  assert.match((await failure(open({ kind: 'none' }, 'https://127.0.0.1:1'))).message, /connection refused/);
  const noise = createServer((socket) =>
    socket
      .on('error', () => undefined)
      .resume()
      .end('SSH-2.0-x\r\n'),
  );
  await new Promise<void>((done) => noise.listen(0, '127.0.0.1', done));
  const error = await failure(open({ kind: 'none' }, `https://127.0.0.1:${(noise.address() as AddressInfo).port}`));
  assert.equal(error.exit, EXIT.unreachable);
  await new Promise((done) => noise.close(done));
});

test('an endpoint on another server is refused: the token would go there', async () => {
  const lying = await startDouble({ old: true, endpoint: 'https://other.example/message' });
  const error = await failure(open(pin(lying.fingerprint), lying.url));
  assert.match(error.message, /another server/);
  await lying.close();
});

test('answers are matched by id while others wait', async () => {
  const session = await open(pin(double.fingerprint));
  const slow = session.request('tools/call', { name: 'slow' });
  const answers = await Promise.all(['a', 'b', 'c'].map((name) => session.request('tools/call', { name })));
  assert.deepEqual(
    answers.map((answer) => (answer['content'] as { text: string }[])[0]?.text),
    ['answer of a', 'answer of b', 'answer of c'],
  );
  session.close();
  assert.match((await failure(slow)).message, /closed/);
});

test('an error of the server keeps its request id', async () => {
  const session = await open(pin(double.fingerprint));
  const error = await failure(session.request('broken'));
  assert.deepEqual([error.exit, error.message, error.request], [EXIT.failed, 'went wrong', 'r-1']);
  session.close();
});

test('a refused POST is an error with the words of the answer', async () => {
  const refusing = await startDouble({ old: true, postStatus: 413 });
  const session = await open(pin(refusing.fingerprint), refusing.url);
  assert.match((await failure(session.request('ping'))).message, /answered 413: no/);
  session.close();
  await refusing.close();
});

test('a stopped call is cancelled at the server', async () => {
  const session = await open(pin(double.fingerprint));
  const stop = new AbortController();
  const call = session.request('tools/call', { name: 'slow' }, stop.signal);
  setTimeout(() => stop.abort(interrupted()), 50);
  assert.equal((await failure(call)).exit, EXIT.interrupted);
  const called = double.asked.findLast((asked) => asked.method === 'tools/call');
  const cancelled = double.asked.findLast((asked) => asked.method === 'notifications/cancelled');
  assert.ok(called?.id);
  assert.equal(cancelled?.params?.['requestId'], called.id);
  assert.equal(cancelled.id, undefined);
  session.close();
});

test('fingerprints in the usual spellings', () => {
  const plain = 'ab'.repeat(32);
  const colons = (plain.match(/../g) ?? []).join(':').toUpperCase();
  for (const spelling of [plain, colons, `sha256:${plain}`, `SHA-256=${colons}`, ` ${plain}\n`])
    assert.equal(readFingerprint(spelling), plain);
  for (const wrong of ['', 'ab', `${plain}ab`, plain.replace('a', 'g')]) assert.equal(readFingerprint(wrong), undefined);
});
