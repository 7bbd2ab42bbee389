/** Expiry: what is old goes, what is left still verifies, and nothing goes that was tampered with. */
import assert from 'node:assert/strict';
import { copyFileSync, existsSync, readFileSync, renameSync, writeFileSync } from 'node:fs';
import { basename, join } from 'node:path';
import { test } from 'node:test';
import { readAnchors } from './anchor.ts';
import { expireAudit } from './expire.ts';
import { verifyAudit } from './verify.ts';
import { emptyLog, LOG_BEGAN, writeEntries, type SealedLog, type Written } from '../testing/sealed-log.ts';

const DAY = 86_400_000;
const SEGMENT: readonly Written[] = [{ kind: 'intent', op: 'files/chown' }, { kind: 'outcome', code: 'OK' }, 'seal'];
const now = LOG_BEGAN + 10 * DAY;

/** Five segments, begun one day after the other, the last one closed. */
function log(context: { after(fn: () => void): void }): SealedLog {
  const made = emptyLog(context);
  writeEntries(made, [SEGMENT, SEGMENT, SEGMENT, SEGMENT, [...SEGMENT, { kind: 'stop' }, 'final seal']]);
  made.segments().forEach((path, index) => renameSync(path, path.replace('20261120T', `202611${20 + index}T`)));
  return made;
}

test('old segments go, and the rest verifies from the checkpoint', async (context) => {
  const { directory, segments, anchor } = log(context);
  const { anchor: noted } = await verifyAudit(directory, { now });
  // Segment 3 was begun eight days before, so segment 2 has nothing younger.
  const first = await expireAudit(directory, 7.5, now);
  assert.deepEqual(first.removed, ['20261120T100000Z-000001.jsonl', '20261121T100000Z-000002.jsonl']);
  assert.deepEqual([first.checkpoint?.number, first.checkpoint?.seq, first.checkpoint?.epoch], [2, 6, 3]);
  const verdict = await verifyAudit(directory, { now });
  assert.deepEqual([verdict.state, verdict.records], ['good', 11], verdict.message);
  assert.match(verdict.message, /segments 1 to 2 have expired, and only their checkpoint vouches for the key that follows$/);
  const held = await verifyAudit(directory, { now, anchors: readAnchors(`${anchor}${noted!}`) });
  assert.match(held.message, /segments 1 to 2 have expired$/);
  assert.deepEqual((await expireAudit(directory, 7.5, now)).removed, []);
  await expireAudit(directory, 0, now);
  assert.equal(segments().length, 1);
  assert.equal((await verifyAudit(directory, { now })).state, 'good');
});

test('what does not verify stays, and so does what no seal vouches for', async (context) => {
  const { directory, segments } = log(context);
  const second = segments()[1]!;
  const whole = readFileSync(second, 'utf8');
  writeFileSync(second, whole.replace('files/chown', 'files/chmod'));
  await assert.rejects(expireAudit(directory, 1, now), /000002\.jsonl:2: the hash of the line before does not fit$/);
  assert.equal(segments().length, 5);
  const bare = emptyLog(context);
  writeEntries(bare, [[{ kind: 'start' }], [{ kind: 'start' }]]);
  await assert.rejects(expireAudit(bare.directory, 1, now), /no seal vouches/);
});

test('a run that was stopped in between is finished by the next', async (context) => {
  const { directory, segments } = log(context);
  const [first] = segments();
  const kept = join(directory, 'kept');
  copyFileSync(first!, kept);
  await expireAudit(directory, 7.5, now);
  renameSync(kept, first!);
  assert.equal((await verifyAudit(directory, { now })).state, 'good');
  assert.deepEqual((await expireAudit(directory, 7.5, now)).removed, [basename(first!)]);
  assert.equal(existsSync(first!), false);
});

// abuse 103: broker
test('a checkpoint that does not fit is found', async (context) => {
  const { directory } = log(context);
  const { anchor } = await verifyAudit(directory, { now });
  await expireAudit(directory, 7.5, now);
  const file = join(directory, 'expired.json');
  const whole = readFileSync(file, 'utf8');
  writeFileSync(
    file,
    whole.replace(/"hash":"./, (start) => `${start.slice(0, -1)}${start.endsWith('0') ? '1' : '0'}`),
  );
  assert.equal((await verifyAudit(directory, { now })).state, 'altered');
  writeFileSync(file, 'nonsense');
  await assert.rejects(verifyAudit(directory, { now }), SyntaxError);
  writeFileSync(file, whole.replace(/"key":"[0-9a-f]{64}/, `"key":"${'0'.repeat(64)}`));
  assert.equal((await verifyAudit(directory, { now, anchors: readAnchors(anchor!) })).state, 'altered');
});
