/** The live feed over the whole pair: who may read it, that it is the log, and that a withdrawn grant ends it. */
import assert from 'node:assert/strict';
import { once } from 'node:events';
import type { IncomingMessage } from 'node:http';
import { after, before, test } from 'node:test';
import type { AuditRecord } from '@steward/shared/audit/record.ts';
import { WebSocket } from 'ws';
import { eventually, startPair, type Pair } from '../support/pair.ts';

const CALLS =
  '  ops:\n    tools:\n      files/read: {allowed: true, paths: [/etc]}\n      daemon/reload-config: {allowed: true}\n';
const WATCH = '  guest:\n    tools:\n      audit/watch: {allowed: true}\n';
const MS = 60_000;

let pair: Pair;
before(async () => {
  pair = await startPair({ grants: CALLS + WATCH, users: ['ops', 'guest'] });
});
after(() => pair.stop());

function connect(user: string): WebSocket {
  const token = user === '' ? {} : { authorization: `Bearer ${pair.token(user)}` };
  const socket = new WebSocket(`wss://127.0.0.1:${pair.port}/audit/live`, { ca: pair.ca, headers: token });
  socket.on('error', () => undefined);
  return socket;
}

async function refused(user: string): Promise<number | undefined> {
  const [, response] = (await once(connect(user), 'unexpected-response')) as [unknown, IncomingMessage];
  return response.statusCode;
}

/** An open feed and what has come of it. */
async function watch(user: string): Promise<{ socket: WebSocket; records: AuditRecord[] }> {
  const begun = (): number => pair.records().filter(({ op, kind }) => op === 'audit/watch' && kind === 'intent').length;
  const before = begun();
  const socket = connect(user);
  const records: AuditRecord[] = [];
  socket.on('message', (data: Buffer) => records.push(JSON.parse(data.toString()) as AuditRecord));
  await once(socket, 'open');
  // Its own beginning is on record, and the feed begins behind it.
  await eventually(() => begun() > before, MS);
  return { socket, records };
}

test('without a token 401, without the grant 403', async () => {
  assert.equal(await refused(''), 401);
  assert.equal(await refused('ops'), 403);
});

test('a call is seen with one request id in the feed, the log, the access line and the error', async () => {
  const { socket, records } = await watch('guest');
  const client = await pair.connect('ops');
  const good = await client.call('files/read', { path: '/etc/passwd', limit: 4, privileged: true });
  assert.equal(good.isError, false);
  const bad = await client.call('files/read', { path: '/root/x', privileged: true });
  assert.equal(bad.code, 'RESTRICTED');
  const seen = await eventually(() => records.find(({ kind }) => kind === 'refusal'), MS);
  const request = seen.request ?? '';
  assert.match(request, /^[0-9a-f]{16}/);
  assert.equal(bad.meta['steward/request'], request);
  assert.ok(pair.output().includes(`request=${request.split('.')[0] ?? ''}`), 'the access line');
  const logged = pair.records().filter((record) => record.request === request);
  assert.deepEqual(
    logged.map(({ kind }) => kind),
    ['refusal'],
  );
  // Every record about a call has an id, and those of one call the same.
  const calls = pair.records().filter(({ kind }) => ['intent', 'outcome', 'refusal'].includes(kind));
  assert.ok(calls.length >= 4 && calls.every(({ request: id }) => id !== undefined && id !== ''));
  for (const { intent, request: id } of calls) {
    if (intent !== undefined) assert.equal(pair.records().find(({ seq }) => seq === intent)?.request, id);
  }
  const whole = pair.records().filter(({ seq }) => records.some((record) => record.seq === seq));
  assert.deepEqual(
    records.filter(({ kind }) => kind !== 'seal'),
    whole,
  );
  socket.close();
  await once(socket, 'close');
});

test('a grant that is withdrawn ends the feed, one that stays does not', async () => {
  const { socket, records } = await watch('guest');
  const closed = once(socket, 'close');
  const client = await pair.connect('ops');
  pair.writeGrants(`${CALLS}${WATCH}# touched\n`);
  assert.equal((await client.call('daemon/reload-config', {})).isError, false);
  await eventually(() => records.some(({ kind }) => kind === 'reload'), MS);
  await client.call('files/read', { path: '/etc/passwd', limit: 4, privileged: true });
  await eventually(() => records.some(({ kind, op }) => kind === 'outcome' && op === 'files/read'), MS);
  const seqs = records.map(({ seq }) => seq);
  assert.deepEqual(
    seqs,
    seqs.map((_, index) => (seqs[0] ?? 0) + index),
    'nothing is lost between two stretches',
  );
  pair.writeGrants(CALLS);
  assert.equal((await client.call('daemon/reload-config', {})).isError, false);
  const [code] = (await closed) as [number];
  assert.equal(code, 1008);
  assert.equal(await refused('guest'), 403);
});
