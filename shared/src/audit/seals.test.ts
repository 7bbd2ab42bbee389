/**
 * Sealed logs: no change of what was sealed passes, whoever makes it and whatever keys they have by now; and no end that was cut
 * off goes unnoticed.
 */
import assert from 'node:assert/strict';
import { createHash } from 'node:crypto';
import { cpSync, mkdirSync, readdirSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { test } from 'node:test';
import nacl from 'tweetnacl';
import { readAnchors } from './anchor.ts';
import { GENESIS, type AuditEntry, type AuditRecord } from './record.ts';
import { makeSeal, openSealKeys } from './seal-keys.ts';
import { sealedBytes } from './seal.ts';
import { verifyAudit, type Verdict } from './verify.ts';
import { emptyLog, LOG_BEGAN, writeEntries, type SealedLog, type Written } from '../testing/sealed-log.ts';

interface Cleanup {
  after(fn: () => void): void;
}

const work = (from: number): AuditEntry[] =>
  Array.from({ length: 3 }, (_, index) => ({ kind: 'intent', user: 'alice', op: 'files/chown', object: `/srv/${from + index}` }));

const SEGMENTS: readonly (readonly Written[])[] = [
  [{ kind: 'start' }, ...work(0), 'seal', ...work(10), 'seal'],
  [...work(20), 'seal', ...work(30), 'seal', ...work(40)],
  ['seal', ...work(50), { kind: 'stop' }, 'final seal'],
];

function wholeLog(context: Cleanup, segments = SEGMENTS): SealedLog {
  const log = emptyLog(context);
  writeEntries(log, segments);
  return log;
}

/** Verified with the first key as the auditor noted it, when the log had just been copied. */
function check(log: SealedLog, anchors = log.anchor, now = LOG_BEGAN + 40_000): Promise<Verdict> {
  return verifyAudit(log.directory, { anchors: readAnchors(anchors), now });
}

/** All lines of all segments, changed, with the chain made to fit again. */
function rewrite(log: SealedLog, change: (line: string, index: number) => string): void {
  let prev = GENESIS;
  let index = 0;
  for (const segment of log.segments()) {
    const lines = readFileSync(segment, 'utf8').split('\n').slice(0, -1);
    const changed = lines.map((line) => {
      const fitting = change(line, index++).replace(/"prev":"[0-9a-f]{64}"/, `"prev":"${prev}"`);
      prev = createHash('sha256').update(fitting).digest('hex');
      return `${fitting}\n`;
    });
    writeFileSync(segment, changed.join(''));
  }
}

test('a sealed log is good, with the key beside it and with the one that was noted', async (context) => {
  const log = wholeLog(context);
  for (const verdict of [await check(log), await verifyAudit(log.directory)]) {
    assert.deepEqual([verdict.state, verdict.records, verdict.seals, verdict.keyed], ['good', 26, 6, true], verdict.message);
    assert.match(verdict.message, /the log is closed$/);
  }
});

// abuse 102: broker
test('no flipped byte passes, the last line included', async (context) => {
  const log = wholeLog(context);
  const [first, , third] = log.segments();
  for (const segment of [first!, third!]) {
    const good = readFileSync(segment);
    const lastLine = segment === third ? good.lastIndexOf(10, -2) + 1 : Infinity;
    for (let at = 3; at < good.length; at += at < lastLine ? 37 : 3) {
      const bad = Buffer.from(good);
      bad[at]! ^= 1 << (at % 7);
      writeFileSync(segment, bad);
      const { state, message } = await check(log, log.anchor, LOG_BEGAN + 3_600_000);
      assert.notEqual(state, 'good', `byte ${at} of ${segment}: ${message}`);
    }
    writeFileSync(segment, good);
  }
});

test('a line made up to look like the end does not close a log that was cut', async (context) => {
  const log = wholeLog(context, [SEGMENTS[0]!]);
  const [segment] = log.segments();
  const lines = readFileSync(segment!, 'utf8').split('\n').slice(0, -1);
  const seal = JSON.parse(lines.at(-1)!) as AuditRecord;
  const stop = { ...seal, seq: seal.seq + 1, kind: 'stop', seal: { ...seal.seal, final: true } };
  writeFileSync(segment!, [...lines, JSON.stringify(stop)].map((line) => `${line}\n`).join(''));
  rewrite(log, (line) => line);
  assert.equal((await check(log, log.anchor, LOG_BEGAN + 3_600_000)).state, 'truncated');
});

test('a change with the chain made to fit is found by the next seal', async (context) => {
  for (let index = 1; index < 4; index += 1) {
    const log = wholeLog(context);
    rewrite(log, (line, at) => (at === index ? line.replace('alice', 'carol') : line));
    const { state, message } = await check(log);
    assert.equal(state, 'altered');
    assert.match(message, /^seals another record 4 than the one that is here$/);
  }
});

// abuse 102: broker
test('a deleted, inserted or swapped line with the chain made to fit does not pass', async (context) => {
  const renumbered = (lines: string[]): string =>
    lines.map((line, at) => `${line.replace(/"seq":\d+/, `"seq":${at + 1}`)}\n`).join('');
  const changes: ((lines: string[]) => string[])[] = [
    (lines) => lines.toSpliced(2, 1),
    (lines) => lines.toSpliced(2, 0, lines[1]!.replace('/srv/0', '/srv/x')),
    (lines) => lines.toSpliced(1, 2, lines[2]!, lines[1]!),
    (lines) => lines.filter((line) => !line.includes('"kind":"seal"')).slice(0, 6),
  ];
  for (const change of changes) {
    const log = wholeLog(context, [SEGMENTS[0]!]);
    const [segment] = log.segments();
    writeFileSync(segment!, renumbered(change(readFileSync(segment!, 'utf8').split('\n').slice(0, -1))));
    rewrite(log, (line) => line);
    const { state } = await check(log, log.anchor, LOG_BEGAN + 3_600_000);
    assert.notEqual(state, 'good', change.toString());
  }
});

// abuse 102: broker
test('a cut end is noticed: by its age, and at once by anything noted after the cut', async (context) => {
  const log = wholeLog(context);
  const { anchor: noted } = await check(log);
  const whole = readFileSync(log.segments()[2]!, 'utf8').split('\n').slice(0, -1);
  for (let keep = 0; keep < whole.length; keep += 1) {
    writeFileSync(
      log.segments()[2]!,
      whole
        .slice(0, keep)
        .map((line) => `${line}\n`)
        .join(''),
    );
    assert.equal((await check(log, log.anchor, LOG_BEGAN + 1_000_000)).state, 'truncated');
    const { state, message } = await check(log, `${log.anchor}${noted!}`);
    assert.equal(state, 'truncated');
    assert.equal(message, 'the log was seen with epoch 7 behind record 25: not here');
  }
});

test('a log still being written is good while its last seal is young', async (context) => {
  const log = wholeLog(context, [[...SEGMENTS[0]!, ...work(60)]]);
  const young = await check(log, log.anchor, LOG_BEGAN + 60_000);
  assert.equal(young.state, 'good');
  assert.match(young.message, /the log is open, its last seal is 52 s old, 4 records behind it$/);
  const old = await check(log, log.anchor, LOG_BEGAN + 8_000 + 121_000);
  assert.deepEqual([old.state, old.firstBad], ['truncated', 'the end']);
});

test('an end that was cut before the log went on is noticed by the missing epochs', async (context) => {
  const log = emptyLog(context);
  const end = writeEntries(log, [[{ kind: 'start' }, ...work(0), 'seal']]);
  const cut = readFileSync(log.segments()[0]!);
  writeEntries(log, [[...work(10), 'seal', ...work(20), 'seal']], { ...end, segment: 1 });
  rmSync(log.segments()[1]!);
  writeFileSync(log.segments()[0]!, cut);
  writeEntries(log, [[{ kind: 'start' }, { kind: 'stop' }, 'final seal']], { ...end, segment: 1 });
  const { state, message } = await check(log);
  assert.equal(state, 'truncated');
  assert.equal(message, 'the seals of epochs 2 to 3, and what was sealed with it: not here');
});

// abuse 102: broker
test('segments of another log, sealed by the same host, do not fit in between', async (context) => {
  const [one, other] = [
    wholeLog(context),
    wholeLog(
      context,
      SEGMENTS.map((entries) => [...entries]),
    ),
  ];
  for (const index of [0, 1, 2]) {
    const mixed = emptyLog(context);
    one
      .segments()
      .forEach((path, at) => cpSync(at === index ? other.segments()[at]! : path, path.replace(one.directory, mixed.directory)));
    assert.equal(
      (await verifyAudit(mixed.directory, { anchors: readAnchors(one.anchor), now: LOG_BEGAN + 40_000 })).state,
      'altered',
    );
  }
});

test("the past sealed again by somebody who has today's keys does not pass", async (context) => {
  const log = wholeLog(context);
  // Everything that root finds on the host today: the log, the state directory, and the time to do it well.
  const today = Number.parseInt(readdirSync(log.keys)[0]!, 10);
  assert.equal(today, 7);
  const forger = join(log.keys, '..', 'forger');
  for (const first of [1, today]) {
    mkdirSync(forger);
    if (first === today) cpSync(join(log.keys, '7.key'), join(forger, '7.key'));
    else openSealKeys(forger, mkdirAt(join(forger, '..', `public-${first}`)));
    const forged = emptyLog(context);
    writeEntries(
      { directory: forged.directory, keys: forger },
      SEGMENTS.map((entries) => entries.map(withCarol)),
    );
    const verdict = await verifyAudit(forged.directory, { anchors: readAnchors(log.anchor), now: LOG_BEGAN + 40_000 });
    assert.notEqual(verdict.state, 'good', verdict.message);
    rmSync(forger, { recursive: true });
  }
});

test('a forged seal that takes the place of a missing one is noticed at the next genuine one', async (context) => {
  const log = wholeLog(context);
  const pair = nacl.sign.keyPair();
  rewrite(log, (line, at) => {
    const record = JSON.parse(line) as AuditRecord;
    if (at !== 8 || record.seal === undefined) return line;
    const named = { ...record.seal, key: Buffer.from(pair.publicKey).toString('hex') };
    const sig = Buffer.from(nacl.sign.detached(sealedBytes(named), pair.secretKey)).toString('hex');
    return JSON.stringify({ ...record, seal: { ...named, sig } });
  });
  const { state, message } = await check(log);
  assert.deepEqual([state, message], ['altered', 'not signed with the key of epoch 2']);
});

test('an anchor noted later verifies what follows it, and binds what came before', async (context) => {
  const log = emptyLog(context);
  const end = writeEntries(log, [SEGMENTS[0]!]);
  const { anchor } = await check(log);
  writeEntries(log, SEGMENTS.slice(1), { ...end, segment: 1 });
  assert.equal((await check(log, anchor)).state, 'good');
  rewrite(log, (line, at) => (at === 1 ? line.replace('alice', 'carol') : line));
  assert.equal((await check(log, anchor)).state, 'altered');
});

test('lines of the journal serve as anchors, whatever stands before them', () => {
  const line = `steward-audit epoch 12 key ${'ab'.repeat(32)} after 40 ${'cd'.repeat(32)}`;
  const text = `Nov 20 10:00:00 host steward-audit[77]: ${line}\nnoise\n${line.replace('12', '3')}\n`;
  assert.deepEqual(
    readAnchors(text).map(({ epoch, seq }) => [epoch, seq]),
    [
      [3, 40],
      [12, 40],
    ],
  );
});

test('of the secrets only the newest is left, and nothing of one that has signed', async (context) => {
  const log = emptyLog(context);
  const before = readFileSync(join(log.keys, '1.key'));
  const seal = makeSeal(log.keys, { head: 1, hash: GENESIS, made: '2026-11-20T10:00:00.000Z', every: 60, final: false });
  assert.deepEqual(readdirSync(log.keys), ['2.key']);
  const after = readFileSync(join(log.keys, '2.key'));
  assert.equal(after.includes(before.subarray(0, 64)), false);
  assert.equal(after.subarray(32, 64).toString('hex'), seal.key);
  // A crash between two steps leaves both, or half of the newer one.
  writeFileSync(join(log.keys, '1.key'), before);
  assert.equal(openSealKeys(log.keys, log.directory).epoch, 2);
  assert.deepEqual(readdirSync(log.keys), ['2.key']);
  writeFileSync(join(log.keys, '3.key'), after.subarray(0, 70));
  const state = openSealKeys(log.keys, log.directory);
  assert.deepEqual([state.epoch, state.last?.sig], [2, seal.sig]);
  assert.deepEqual(readdirSync(log.keys), ['2.key']);
});

const withCarol = (entry: Written): Written =>
  typeof entry === 'string' || entry.user === undefined ? entry : { ...entry, user: 'carol' };

function mkdirAt(path: string): string {
  mkdirSync(path);
  return path;
}
