/**
 * One call from its arrival to its answer, with rows made for the purpose: what is decided in which order, what is on record
 * when, and what happens to a call that is cancelled, late, too much or defective.
 */
import assert from 'node:assert/strict';
import { createHash } from 'node:crypto';
import { Duplex } from 'node:stream';
import type { Socket } from 'node:net';
import { test } from 'node:test';
import { setTimeout as sleep } from 'node:timers/promises';
import { AuditFeed } from '@steward/shared/audit/feed.ts';
import type { AuditEntry } from '@steward/shared/audit/record.ts';
import type { ConfigSnapshot } from '@steward/shared/config/types.ts';
import { StewardError } from '@steward/shared/errors.ts';
import { makeGuard } from '@steward/shared/host/guarding.ts';
import { Connection } from '@steward/shared/ipc/connection.ts';
import { FrameDecoder, ProtocolError, encodeChunkHeader, encodeCredit } from '@steward/shared/ipc/frames.ts';
import { operation, type OpContext } from '@steward/shared/ops/operation.ts';
import { Dispatcher } from './dispatch.ts';
import { none } from './restrict.ts';
import type { Row } from '@steward/shared/catalogue/row.ts';
import { Sessions } from './sessions.ts';

const args = { type: 'object', properties: {}, required: [], additionalProperties: false } as const;
type Work = (args: Readonly<Record<string, unknown>>, context: OpContext<unknown>) => Promise<unknown>;

function row(name: string, run: Work, more: Partial<Row> = {}, op: object = {}): Row {
  return {
    op: operation({ name, args, kind: 'value', result: { type: 'null' }, where: 'loop', run, ...op }),
    grant: { tool: 'files/create' },
    effect: 'write',
    restriction: none,
    touches: { capabilities: [], programs: [], sockets: [], paths: [] },
    limits: { deadlineSeconds: 60, maxResultBytes: 0, maxUploadBytes: 1000 },
    cancel: 'finishes',
    shown: ['shown', 'key'],
    ...more,
  };
}

const SALT = Buffer.alloc(16);
const hash = createHash('sha256').update(SALT).update('token').digest('hex');
const user = (name: string, token: string) => ({
  name,
  account: '',
  tokens: [{ id: 't', salt: SALT.toString('hex'), hash: createHash('sha256').update(SALT).update(token).digest('hex') }],
});
const GRANT = { allowed: true, line: 4 };

interface World {
  readonly dispatcher: Dispatcher;
  readonly connection: Connection;
  readonly records: AuditEntry[];
  readonly answers: Map<number, { value?: unknown; error?: { key: string; params: object } }>;
  readonly chunks: Buffer[];
  readonly capability: string;
  violation: string | undefined;
  /** Makes the log fail from now on. */
  auditFails: boolean;
  daemon: { reads: boolean; read_only: boolean };
  call(op: string, more?: object): number;
  answer(id: number): Promise<{ value?: unknown; error?: { key: string; params: object } }>;
  feed(bytes: Buffer): void;
}

function world(rows: readonly Row[], grants: object = { 'files/create': GRANT }): World {
  const records: AuditEntry[] = [];
  const answers: World['answers'] = new Map();
  const chunks: Buffer[] = [];
  const decoder = new FrameDecoder();
  const socket = new Duplex({
    read: () => undefined,
    write(data: Buffer, _encoding, done) {
      for (const frame of decoder.push(data)) {
        if (frame.kind === 'chunk') chunks.push(Buffer.from(frame.bytes));
        else if (frame.kind === 'json') {
          const message = frame.value as { id: number; value?: unknown; error?: { key: string; params: object } };
          answers.set(message.id, message);
        }
      }
      done();
    },
  });
  const connection = new Connection(socket as unknown as Socket, {
    stallMs: 100,
    handlers: {
      message: () => undefined,
      violation: (error) => (it.violation = error.message),
      end: () => undefined,
      closed: () => undefined,
    },
  });
  const sessions = new Sessions();
  const config = (): ConfigSnapshot =>
    ({
      users: [user('ops', 'token'), user('other', 'second')],
      grants: { ops: { tools: grants, resources: {} }, other: { tools: grants, resources: {} } },
      grantsDigest: hash,
      daemon: {
        tools: {},
        limits: { timeout_seconds: 30, max_sessions: 10 },
        catalogue: { read_only: it.daemon.read_only },
        audit: { reads: it.daemon.reads },
      },
    }) as unknown as ConfigSnapshot;
  const audit = {
    append: (entry: AuditEntry) => {
      if (it.auditFails) return Promise.reject(new StewardError('audit_unavailable', { reason: 'disk full' }));
      return Promise.resolve(records.push(entry));
    },
  };
  const validators = Object.fromEntries(
    rows.map((one) => [one.op.name, (value: unknown) => !Object.hasOwn(value as object, 'bad')]),
  );
  const guard = makeGuard({ trees: [], readOnly: [], pids: [] });
  const parts = { table: rows, tableDigest: 'd', validators, connection, sessions, audit, config, guard };
  const reload = () => Promise.reject(new Error('not here'));
  const pool = { run: () => Promise.reject(new Error('not here')) };
  const engine = (): Promise<never> => Promise.reject(new Error('not here'));
  let next = 0;
  const it: World = {
    dispatcher: new Dispatcher({ ...parts, reload, pool, engine, feed: new AuditFeed() }),
    connection,
    records,
    answers,
    chunks,
    capability: '',
    violation: undefined,
    auditFails: false,
    daemon: { reads: true, read_only: false },
    call(op, more = {}) {
      const id = (next += 1);
      const message = {
        type: 'call',
        id,
        capability: it.capability,
        op,
        args: {},
        request: `r${id}`,
        deadline_ms: 30_000,
        ...more,
      };
      it.dispatcher.call(message as Parameters<Dispatcher['call']>[0]);
      return id;
    },
    async answer(id) {
      for (let tries = 0; !answers.has(id); tries += 1) {
        if (tries > 1000) throw new Error(`no answer to ${id}`);
        await sleep(2);
      }
      return answers.get(id) ?? {};
    },
    feed: (bytes) => socket.push(bytes),
  };
  const opened = sessions.open({ token: 'token', address: '::1', client: 'test' }, config());
  return Object.assign(it, { capability: opened?.capability ?? '' });
}

const kinds = (it: World): string[] => it.records.map((record) => `${record.kind} ${record.code ?? ''}`.trim());
const done: Work = () => Promise.resolve('done');
const hangs: Work = () => new Promise(() => undefined);

test('the intent is on record before the effect, the outcome before the answer', async () => {
  const seen: string[][] = [];
  const it = world([row('a', () => Promise.resolve(seen.push(kinds(it))))]);
  const id = it.call('a', { args: { shown: 'x', hidden: 'y' } });
  assert.equal((await it.answer(id)).value, 1);
  assert.deepEqual(seen, [['intent']]);
  assert.deepEqual(kinds(it), ['intent', 'outcome OK']);
  const [intent, outcome] = it.records;
  assert.deepEqual(intent?.args, { shown: 'x' });
  assert.equal(intent?.rule, 'grants.yaml:4');
  assert.deepEqual([outcome?.intent, outcome?.request, outcome?.user, outcome?.address], [1, 'r1', 'ops', '::1']);
});

test('what cannot be recorded is not done', async () => {
  let ran = false;
  const it = world([row('a', () => Promise.resolve((ran = true)))]);
  it.auditFails = true;
  assert.equal((await it.answer(it.call('a'))).error?.key, 'audit_unavailable');
  assert.equal(ran, false);
});

test('a result is given although its outcome could not be recorded', async () => {
  const it = world([row('a', () => Promise.resolve((it.auditFails = true)))]);
  assert.equal((await it.answer(it.call('a'))).value, true);
});

test('the order of decisions: session, arguments, read-only, grant', async () => {
  const it = world([row('a', done)], {});
  const key = async (more: object): Promise<string | undefined> => (await it.answer(it.call('a', more))).error?.key;
  assert.equal(await key({ capability: 'x', args: { bad: 1 } }), 'no_session');
  assert.equal(await key({ capability: undefined }), 'no_session');
  it.daemon.read_only = true;
  assert.equal(await key({ args: { bad: 1 } }), 'bad_args');
  assert.equal(await key({}), 'read_only');
  assert.equal(await key({ args: { dry_run: true } }), 'not_granted');
  it.daemon.read_only = false;
  assert.equal(await key({}), 'not_granted');
  assert.deepEqual(
    new Set(kinds(it)),
    new Set(['refusal NO_SESSION', 'refusal BAD_ARGS', 'refusal READ_ONLY', 'refusal NOT_GRANTED']),
  );
});

test('strings and numbers that are not what they seem are bad arguments', async () => {
  const it = world([row('a', done)]);
  for (const bad of ['\ud800', 'x'.repeat(20_000), 2 ** 53, -(2 ** 60)]) {
    assert.equal((await it.answer(it.call('a', { args: { key: bad } }))).error?.key, 'bad_args');
  }
});

test('a refusal key of the row is for calls that change something', async () => {
  const sysctl = row('s', done, { grant: { tool: 'kernel/system-control', refusal: 'sysctl_needs_grant' }, writesWith: 'value' });
  const it = world([sysctl]);
  const read = await it.answer(it.call('s', { args: { key: 'vm.x' } }));
  assert.equal(read.error?.key, 'not_granted');
  const write = await it.answer(it.call('s', { args: { key: 'vm.x', value: '1' } }));
  assert.deepEqual([write.error?.key, (write.error?.params as { key: string }).key], ['sysctl_needs_grant', 'vm.x']);
});

test('reads may be left out of the log, refusals never', async () => {
  const read = row('r', done, { effect: 'read' });
  const peeks = row('p', () => Promise.reject(new StewardError('protected_object', { path: '/x' })), { effect: 'read' });
  const it = world([read, peeks, row('w', done), row('s', done, { writesWith: 'value' })]);
  it.daemon.reads = false;
  for (const op of ['r', 'p', 's', 'w']) await it.answer(it.call(op));
  await it.answer(it.call('r', { args: { bad: 1 } }));
  assert.deepEqual(kinds(it), ['refusal PROTECTED', 'intent', 'outcome OK', 'refusal BAD_ARGS']);
});

test('unknown operations, ids in use and uploads to what takes none are breaches', async () => {
  const it = world([row('a', hangs)]);
  for (const op of ['b', 'a ', 'A', '__proto__', 'constructor']) assert.throws(() => it.call(op), ProtocolError);
  const id = it.call('a');
  assert.throws(() => it.call('a', { id }), /in use/);
  assert.throws(() => it.call('a', { upload_bytes: 1 }), /takes no upload/);
  it.dispatcher.cancel(id);
  await it.answer(id);
});

test('a call that has begun nothing is stopped, one that has begun is waited for', async () => {
  const finish = Promise.withResolvers<string>();
  const begins: Work = (_args, context) => {
    context.begin();
    return finish.promise;
  };
  const it = world([row('hangs', hangs), row('begins', begins)]);
  const [first, second] = [it.call('hangs'), it.call('begins')];
  await sleep(5);
  it.dispatcher.cancel(first);
  it.dispatcher.cancel(second);
  assert.equal((await it.answer(first)).error?.key, 'cancelled');
  await sleep(10);
  assert.equal(it.answers.has(second), false);
  finish.resolve('finished');
  assert.equal((await it.answer(second)).value, 'finished');
  assert.deepEqual(kinds(it), ['intent', 'intent', 'outcome CANCELLED', 'outcome OK']);
});

// abuse 96: broker
test('it is too late to begin after the deadline; deadlines of nothing and of ages are clamped', async () => {
  let late: unknown;
  const it = world([
    row('late', async (_args, context) => {
      await sleep(200);
      try {
        context.begin();
      } catch (error) {
        late = error;
      }
    }),
    row('quick', done),
  ]);
  const answer = await it.answer(it.call('late', { deadline_ms: 1 }));
  assert.deepEqual([answer.error?.key, answer.error?.params], ['timeout', { seconds: 1 }]);
  for (const deadline_ms of [0, 1, 2 ** 31]) assert.equal((await it.answer(it.call('quick', { deadline_ms }))).value, 'done');
  await it.dispatcher.idle();
  assert.equal((late as StewardError).key, 'timeout');
});

test('eight calls of one user run, and a slot is free only when its operation has ended', async () => {
  const finish = Promise.withResolvers<undefined>();
  const it = world([row('slow', () => finish.promise), row('quick', done)]);
  const ids = Array.from({ length: 8 }, () => it.call('slow'));
  assert.equal((await it.answer(it.call('quick'))).error?.key, 'busy');
  it.dispatcher.cancel(ids[0] ?? 0);
  await it.answer(ids[0] ?? 0);
  assert.equal((await it.answer(it.call('quick'))).error?.key, 'busy');
  finish.resolve(undefined);
  await it.dispatcher.idle();
  assert.equal((await it.answer(it.call('quick'))).value, 'done');
});

test('a defect is answered with the request id alone, and the next call works', async () => {
  const it = world([
    row('throws', () => {
      throw new TypeError('secret detail');
    }),
    row('large', () => Promise.resolve('x'.repeat(2 * 1024 * 1024))),
    row('quick', done),
  ]);
  const id = it.call('throws');
  assert.deepEqual((await it.answer(id)).error, { key: 'internal', params: { request: `r${id}` } });
  assert.equal((await it.answer(it.call('large'))).error?.key, 'internal');
  assert.equal((await it.answer(it.call('quick'))).value, 'done');
  assert.ok(!JSON.stringify(it.records).includes('secret detail'));
});

const chunk = (id: number, bytes: Buffer): Buffer => Buffer.concat([encodeChunkHeader(id, bytes.length), bytes]);

test('an upload is complete before the operation, and its size and hash are in the intent', async () => {
  const takes: Work = async (_args, context) => {
    const pieces = [];
    for await (const piece of context.upload?.chunks() ?? []) pieces.push(Buffer.from(piece));
    return Buffer.concat(pieces).toString();
  };
  const it = world([row('up', takes, {}, { upload: 'content' })]);
  const id = it.call('up', { upload_bytes: 5 });
  it.feed(chunk(id, Buffer.from('he')));
  await sleep(10);
  assert.deepEqual(kinds(it), []);
  it.feed(chunk(id, Buffer.from('llo')));
  await sleep(5);
  assert.ok(it.connection.finishIncoming(id));
  assert.equal((await it.answer(id)).value, 'hello');
  assert.deepEqual(it.records[0]?.upload, { size: 5, sha256: createHash('sha256').update('hello').digest('hex') });
  assert.equal((await it.answer(it.call('up', { upload_bytes: 1001 }))).error?.key, 'bad_args');
});

test('an upload that is not as announced is a breach, one that is refused is dropped quietly', async () => {
  const it = world([row('up', done, {}, { upload: 'content' })]);
  const refused = it.call('up', { upload_bytes: 3, capability: 'x' });
  it.feed(chunk(refused, Buffer.from('abc')));
  assert.equal((await it.answer(refused)).error?.key, 'no_session');
  it.feed(chunk(refused, Buffer.from('abc')));
  await sleep(5);
  assert.equal(it.violation, undefined);
  const id = it.call('up', { upload_bytes: 3 });
  it.feed(chunk(id, Buffer.from('abcd')));
  for (let tries = 0; it.violation === undefined && tries < 500; tries += 1) await sleep(2);
  assert.match(it.violation ?? '', /upload of 4 bytes/);
});

// abuse 94: broker
test('records and bytes travel under credit; a reader that gives none ends the call', async () => {
  const pours: Work = async (_args, context) => {
    for (let n = 0; n < 6; n += 1) await context.write(Buffer.alloc(65536, n));
    return 'all';
  };
  const it = world([row('pours', pours, { effect: 'read' }, { kind: 'bytes' })]);
  const id = it.call('pours');
  await sleep(30);
  assert.equal(it.chunks.length, 4);
  it.feed(encodeCredit(id, 2 * 65536));
  assert.equal((await it.answer(id)).value, 'all');
  assert.equal(Buffer.concat(it.chunks).length, 6 * 65536);
  assert.equal((await it.answer(it.call('pours'))).error?.key, 'cancelled');
});

test('a broker that ends refuses what comes and stops what has begun nothing', async () => {
  const it = world([row('hangs', hangs)]);
  const id = it.call('hangs');
  await sleep(5);
  it.dispatcher.stopAll(new StewardError('shutting_down'));
  assert.equal((await it.answer(id)).error?.key, 'shutting_down');
  assert.equal((await it.answer(it.call('hangs'))).error?.key, 'shutting_down');
});
