/** Sealed logs: no change of what was sealed passes, and anchors noted at any time show it. */
import assert from 'node:assert/strict';
import { cpSync, readFileSync, writeFileSync } from 'node:fs';
import { test } from 'node:test';
import { readAnchors } from './anchor.ts';
import { verifyAudit } from './verify.ts';
import { emptyLog, LOG_BEGAN, writeEntries, SEGMENTS, check, rewrite, wholeLog } from '../testing/sealed-log.ts';

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
