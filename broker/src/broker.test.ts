/** Everything that a frontend must not do, on a broker in this process: each breach is recorded and costs the connection. */
import assert from 'node:assert/strict';
import { mkdtempSync, rmSync } from 'node:fs';
import { connect, createServer, type Socket } from 'node:net';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { after, test } from 'node:test';
import { AuditFeed } from '@steward/shared/audit/feed.ts';
import type { AuditEntry } from '@steward/shared/audit/record.ts';
import { loadSnapshot } from '@steward/shared/config/load.ts';
import { args, messages } from '@steward/shared/generated/validators.js';
import { makeGuard } from '@steward/shared/host/guarding.ts';
import { encodeJson } from '@steward/shared/ipc/frames.ts';
import { tableDigest } from './allowlist.ts';
import { Broker } from './broker.ts';
import { welcome } from './connection/handshake.ts';
import { TABLE } from './table.ts';
import { makeHome } from '../../test/support/raw-broker.ts';
import { RawClient } from '../../test/support/raw-client.ts';

const directory = mkdtempSync(join(tmpdir(), 'steward-broker-'));
const home = makeHome(
  '  ops:\n    tools:\n      files/create: {allowed: true, paths: [/none]}\n',
  'limits: {auth_failures_per_minute: 3}\n',
);
after(() => {
  home.remove();
  rmSync(directory, { recursive: true });
});

interface Served {
  readonly client: RawClient;
  readonly records: AuditEntry[];
  readonly exit: Promise<number>;
}

let connections = 0;

async function serve(): Promise<Served> {
  const path = join(directory, String((connections += 1)));
  const accepted = Promise.withResolvers<Socket>();
  const server = createServer({ allowHalfOpen: true }, accepted.resolve);
  await new Promise<void>((done) => server.listen(path, done));
  const client = new RawClient(connect({ path, allowHalfOpen: true }));
  const records: AuditEntry[] = [];
  const exit = Promise.withResolvers<number>();
  const tableIs = tableDigest(TABLE);
  const protectedList = { trees: [home.configDir], readOnly: [], pids: [] };
  const config = loadSnapshot(home.configDir);
  const socket = await accepted.promise;
  server.close();
  new Broker(socket, {
    table: TABLE,
    tableDigest: tableIs,
    validators: { messages, args },
    config,
    guard: makeGuard(protectedList),
    pool: { run: () => Promise.reject(new Error('no workers here')) },
    engine: () => Promise.reject(new Error('no container engine here')),
    feed: new AuditFeed(),
    audit: { append: (entry) => Promise.resolve(records.push(entry)) },
    welcome: welcome({ tableDigest: tableIs, config, tls: null, protectedList }),
    exit: (status) => {
      socket.destroy();
      exit.resolve(status);
    },
  });
  return { client, records, exit: exit.promise };
}

function raw(text: string): Buffer {
  const payload = Buffer.from(text);
  const head = Buffer.alloc(5);
  head.writeUInt32BE(payload.length + 1);
  return Buffer.concat([head, payload]);
}

type Commit = (client: RawClient) => unknown;

// abuse 1, 4, 5, 8, 25, 26, 27, 29: broker
const BEFORE_HELLO: Readonly<Record<string, Commit>> = {
  'a call before hello': (client) => client.start('files/read', {}, { id: 1 }),
  'another protocol': (client) => void client.hello(2),
  'another table': (client) => void client.hello(1, '0'.repeat(64)),
  'a frame of length 0': (client) => client.raw(Buffer.alloc(4)),
  'a frame of 4 GiB': (client) => client.raw(Buffer.alloc(4, 0xff)),
  'a frame of unknown kind': (client) => client.raw(Buffer.from([0, 0, 0, 2, 9, 1])),
  silence: () => undefined,
  'half a frame, then silence': (client) => client.raw(Buffer.from([0, 0, 0, 100, 0, 1, 2])),
};

// abuse 9, 10, 13, 14, 15, 17, 18, 24, 28, 45: broker
const AFTER_HELLO: Readonly<Record<string, Commit>> = {
  'a second hello': (client) => void client.hello(),
  'an unknown operation': (client) => client.start('files/chown ', {}, { id: 1 }),
  '__proto__ as operation': (client) => client.start('__proto__', {}, { id: 1 }),
  'a key that no message has': (client) => client.send({ type: 'cancel', id: 1, more: 1 }),
  '__proto__ as key': (client) => client.raw(raw('{"type":"cancel","id":1,"__proto__":{}}')),
  'a lone surrogate outside of arguments': (client) => client.raw(raw('{"type":"close","capability":"\\ud800"}')),
  'a type that no message has': (client) => client.send({ type: 'toString' }),
  'no object': (client) => client.send([]),
  'an id of 0': (client) => client.send({ type: 'cancel', id: 0 }),
  'a fractional id': (client) => client.send({ type: 'cancel', id: 1.5 }),
  'an id beyond 32 bits': (client) => client.send({ type: 'cancel', id: 2 ** 32 }),
  'an infinite id': (client) => client.raw(raw('{"type":"cancel","id":1e400}')),
  'an id that is text': (client) => client.send({ type: 'cancel', id: '1' }),
  'invalid UTF-8': (client) => client.raw(Buffer.from([0, 0, 0, 4, 0, 0x22, 0xff, 0x22])),
  'a byte order mark': (client) => client.raw(raw('\ufeff{"type":"reload"}')),
  'deep nesting': (client) => client.raw(raw('['.repeat(400_000))),
  'a chunk for no upload': (client) => client.chunk(7, Buffer.from('x')),
  'credit for no call': (client) => client.credit(7, 1),
  'the end of no upload': (client) => client.send({ type: 'end', id: 7 }),
  'an answer to no proposal': (client) => client.send({ type: 'accept', generation: 1 }),
  '1001 cancellations of nothing': (client) => Array.from({ length: 1001 }, (_, n) => client.send({ type: 'cancel', id: n + 1 })),
};

async function breach(greets: boolean, commit: Commit): Promise<void> {
  const { client, records, exit } = await serve();
  if (greets) await client.hello();
  commit(client);
  assert.equal(await exit, 65);
  await client.closed;
  assert.deepEqual(
    records.map((record) => record.kind),
    ['violation'],
  );
}

for (const [name, commit] of Object.entries(BEFORE_HELLO))
  test(`a breach: ${name}`, { timeout: 5000 }, () => breach(false, commit));
for (const [name, commit] of Object.entries(AFTER_HELLO))
  test(`a breach: ${name}`, { timeout: 5000 }, () => breach(true, commit));

test('a table that differs is named on both sides', async () => {
  const { client, records, exit } = await serve();
  void client.hello(1, 'ab'.repeat(32));
  await exit;
  assert.match(records[0]?.detail ?? '', new RegExp(`VERSION_SKEW: .*${'ab'.repeat(32)}.*${tableDigest(TABLE)}`));
});

// abuse 23: broker
test('an id that is in use is a breach, also while its upload is awaited', async () => {
  const { client, exit, records } = await serve();
  await client.hello();
  await client.open(home.token('ops'));
  client.start('files/create', { path: '/none/x' }, { id: 9, upload: Buffer.alloc(10) });
  client.start('files/create', { path: '/none/x' }, { id: 9, request: 'second' });
  assert.equal(await exit, 65);
  assert.deepEqual(
    records.filter(({ kind }) => kind === 'violation').map(({ request }) => request),
    ['second'],
  );
});

test('a breach within a call is on record with the request, one outside has none', async () => {
  const breaches: readonly [(client: RawClient) => void, string | undefined][] = [
    [(client) => client.start('files/none', {}, { id: 9, request: 'no-such' }), 'no-such'],
    [(client) => client.start('files/read', { path: '/x' }, { id: 9, request: 'content', upload: Buffer.alloc(1) }), 'content'],
    [(client) => client.send({ type: 'end', id: 9 }), undefined],
  ];
  for (const [breach, request] of breaches) {
    const { client, exit, records } = await serve();
    await client.hello();
    await client.open(home.token('ops'));
    breach(client);
    assert.equal(await exit, 65);
    const found = records.find(({ kind }) => kind === 'violation');
    assert.ok(found);
    assert.equal(found.request, request);
  }
});

// abuse 36, 37: broker
test('no capability, a short one, a random one and one of an earlier connection are the same refusal', async () => {
  const earlier = await serve();
  await earlier.client.hello();
  const { capability } = await earlier.client.open(home.token('ops'));
  const { client, records, exit } = await serve();
  await client.hello();
  for (const bad of ['', capability.slice(1), '0'.repeat(64), capability]) {
    const answer = await client.call('auth/sudo-rules', {}, { capability: bad });
    assert.deepEqual([answer.key, answer.params], ['no_session', {}]);
  }
  client.send({ type: 'call', id: 99, op: 'auth/sudo-rules', args: {}, request: 'r', deadline_ms: 1 });
  assert.equal((await client.answer(99)).key, 'no_session');
  assert.equal(records.filter((record) => record.code === 'NO_SESSION').length, 5);
  client.socket.end();
  assert.equal(await exit, 0);
  earlier.client.socket.end();
  await earlier.exit;
});

// abuse 7: broker
test('5000 calls in one write are all answered, most of them with busy', async () => {
  const { client, exit } = await serve();
  await client.hello();
  const { capability } = await client.open(home.token('ops'));
  const ids = Array.from({ length: 5000 }, (_, n) => n + 100);
  const frames = ids.map((id) => {
    const frame = encodeJson({ type: 'call', id, capability, op: 'auth/sudo-rules', args: {}, request: 'r', deadline_ms: 9000 });
    assert.ok(frame);
    return frame;
  });
  const waiting = ids.map((id) => client.answer(id));
  client.raw(Buffer.concat(frames));
  const answers = await Promise.all(waiting);
  const good = answers.filter((answer) => answer.key === undefined).length;
  const busy = answers.filter((answer) => answer.key === 'busy').length;
  assert.ok(good >= 8, `${good} were run`);
  assert.equal(good + busy, 5000);
  client.socket.end();
  await exit;
});

// abuse 40: broker
test('bad tokens get one answer, late when there are many; a good one is not held up', async () => {
  const { client, records, exit } = await serve();
  await client.hello();
  for (const token of ['', 'x', `${home.token('ops')}\n`]) assert.equal((await client.tryOpen(token)).key, 'bad_token');
  const began = performance.now();
  const late = client.tryOpen('x').then(() => performance.now() - began);
  await client.open(home.token('ops'));
  assert.ok(performance.now() - began < 500);
  assert.ok((await late) > 800);
  client.socket.end();
  assert.equal(await exit, 0);
  const refused = records.filter((record) => record.kind === 'session-refused');
  assert.equal(refused.length, 4);
  assert.match(refused.at(-1)?.detail ?? '', /^1 more/);
  assert.ok(!JSON.stringify(records).includes(home.token('ops')));
});
