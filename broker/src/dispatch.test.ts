/** One call from its arrival to its answer, with rows made for the purpose: what is decided in which order, and what is on record when. */
import assert from 'node:assert/strict';
import { test } from 'node:test';
import { StewardError } from '@steward/shared/errors.ts';
import { ProtocolError } from '@steward/shared/ipc/frames.ts';
import { done, hangs, kinds, row, world } from '../../test/support/row-world.ts';

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
