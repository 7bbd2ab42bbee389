/** The audit log: records are numbered, chained, private and in order, and what is in the chain verifies. */
import assert from 'node:assert/strict';
import { chmodSync, chownSync, statSync, symlinkSync } from 'node:fs';
import { join } from 'node:path';
import { test } from 'node:test';
import { verifyAudit } from '@steward/shared/audit/verify.ts';
import { logPlace, openLog, records, segments } from '../../../test/support/audit-logs.ts';

const isRoot = process.geteuid?.() === 0;

test('records are numbered, chained and private', async (context) => {
  const directory = logPlace(context);
  const log = await openLog(directory);
  assert.equal(await log.append({ kind: 'intent', user: 'alice', op: 'files/chown', object: '/srv/x\n{"seq":9}' }), 2);
  assert.equal(await log.append({ kind: 'outcome', intent: 2, code: 'OK' }), 3);
  await log.close();
  assert.deepEqual(
    (await records(directory)).map(({ seq, kind }) => `${seq} ${kind}`),
    ['1 start', '2 intent', '3 outcome', '4 stop'],
  );
  assert.equal((await verifyAudit(directory)).state, 'good');
  assert.equal(statSync(directory).mode & 0o777, 0o700);
  const [name] = segments(directory);
  assert.match(name!, /^\d{8}T\d{6}Z-000001\.jsonl$/);
  assert.equal(statSync(join(directory, name!)).mode & 0o777, 0o600);
});

test('a thousand records at once share few flushes and keep their order', async (context) => {
  const directory = logPlace(context);
  const log = await openLog(directory);
  const file = join(directory, segments(directory)[0]!);
  const sizes = new Set<number>();
  const promises = Array.from({ length: 1000 }, (_, index) =>
    log.append({ kind: 'intent', op: 'files/read', object: `/o/${index}` }).then((seq) => {
      sizes.add(statSync(file).size);
      return seq;
    }),
  );
  const seqs = await Promise.all(promises);
  assert.deepEqual(
    seqs,
    Array.from({ length: 1000 }, (_, index) => index + 2),
  );
  assert.ok(sizes.size <= 5, `the file grew ${sizes.size} times`);
  await log.close();
  const objects = (await records(directory)).filter(({ kind }) => kind === 'intent').map(({ object }) => object);
  assert.deepEqual(
    objects,
    Array.from({ length: 1000 }, (_, index) => `/o/${index}`),
  );
  assert.equal((await verifyAudit(directory)).state, 'good');
});

test('the chain goes on over segments and restarts', async (context) => {
  const directory = logPlace(context);
  for (let run = 0; run < 3; run += 1) {
    const log = await openLog(directory, 4096);
    for (let index = 0; index < 50; index += 1) await log.append({ kind: 'refusal', detail: 'x'.repeat(200) });
    await log.close();
  }
  assert.ok(segments(directory).length > 6);
  const verdict = await verifyAudit(directory);
  assert.deepEqual([verdict.state, verdict.records], ['good', 3 * 52]);
});

test('a directory that others could change is refused', async (context) => {
  const directory = logPlace(context);
  await (await openLog(directory)).close();
  chmodSync(directory, 0o750);
  await assert.rejects(openLog(directory), /has mode 750, not 700/);
  chmodSync(directory, 0o700);
  const link = `${directory}-link`;
  symlinkSync(directory, link);
  await assert.rejects(openLog(link), { key: 'audit_unavailable' });
});

test(
  'a directory of somebody else is refused',
  { skip: isRoot ? false : 'needs root to give a directory away' },
  async (context) => {
    const directory = logPlace(context);
    await (await openLog(directory)).close();
    chownSync(directory, 65534, 65534);
    await assert.rejects(openLog(directory), /belongs to uid 65534, not 0/);
  },
);

test('a record that is no JSON is refused alone', async (context) => {
  const directory = logPlace(context);
  const log = await openLog(directory);
  const circular: Record<string, unknown> = {};
  circular['self'] = circular;
  const good = log.append({ kind: 'refusal' });
  await assert.rejects(log.append({ kind: 'refusal', args: circular }), TypeError);
  assert.equal(await good, 2);
  await log.close();
  assert.equal((await verifyAudit(directory)).state, 'good');
});
