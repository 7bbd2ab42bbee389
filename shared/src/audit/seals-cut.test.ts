/** Sealed logs whose end was cut off: noticed by its age, by what was noted after the cut, by missing epochs, and no made-up end closes them. */
import assert from 'node:assert/strict';
import { readFileSync, rmSync, writeFileSync } from 'node:fs';
import { test } from 'node:test';
import type { AuditRecord } from './record.ts';
import { emptyLog, LOG_BEGAN, writeEntries, SEGMENTS, check, rewrite, wholeLog, work } from '../testing/sealed-log.ts';

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

test('a log that began anew is not taken for the one before it', async (context) => {
  const [before, anew] = [
    wholeLog(context),
    wholeLog(context, [SEGMENTS[0]!, ['seal', ...work(50), { kind: 'stop' }, 'final seal']]),
  ];
  const { anchor: noted } = await check(before);
  assert.equal((await check(anew)).state, 'good');
  for (const [anchors, state] of [
    [before.anchor, 'altered'],
    [noted!, 'truncated'],
    [`${before.anchor}${noted!}`, 'altered'],
  ] as const) {
    const verdict = await check(anew, anchors);
    assert.equal(verdict.state, state, verdict.message);
  }
});
