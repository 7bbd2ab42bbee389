/**
 * The verifier on good logs and on every kind of tampering: none may pass as good.
 */
import assert from 'node:assert/strict';
import { createHash } from 'node:crypto';
import { mkdtempSync, readdirSync, readFileSync, renameSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { test } from 'node:test';
import { readAudit } from './read.ts';
import { GENESIS, type AuditEntry } from './record.ts';
import { verifyAudit } from './verify.ts';

interface Cleanup {
  after(fn: () => void): void;
}

/** Lines of a chain, without newlines. */
function chain(entries: readonly AuditEntry[]): string[] {
  let prev = GENESIS;
  return entries.map((entry, index) => {
    const line = JSON.stringify({ seq: index + 1, time: `2026-11-20T10:00:0${index % 10}.000Z`, prev, ...entry });
    prev = createHash('sha256').update(line).digest('hex');
    return line;
  });
}

const ENTRIES: AuditEntry[] = [
  { kind: 'start' },
  ...Array.from({ length: 10 }, (_, index): AuditEntry[] => [
    { kind: 'intent', user: index % 2 === 0 ? 'alice' : 'bob', op: 'files/chown', object: `/srv/${index}`, request: `r${index}` },
    { kind: 'outcome', user: index % 2 === 0 ? 'alice' : 'bob', op: 'files/chown', intent: 2 * index + 2, code: 'OK' },
  ]).flat(),
  { kind: 'stop' },
];

/** A log of three segments with the given lines (7 to a segment). */
function writeLog(context: Cleanup, lines: readonly string[]): string {
  const directory = mkdtempSync(join(tmpdir(), 'steward-verify-'));
  context.after(() => rmSync(directory, { recursive: true, force: true }));
  for (let number = 1; number <= 3; number += 1) {
    const part = lines.slice((number - 1) * 8, number * 8);
    writeFileSync(join(directory, `20261120T10000${number}Z-00000${number}.jsonl`), part.map((line) => `${line}\n`).join(''));
  }
  return directory;
}

function segment(directory: string, number: number): string {
  return join(directory, readdirSync(directory).sort()[number - 1]!);
}

test('a whole log is good', async (context) => {
  const verdict = await verifyAudit(writeLog(context, chain(ENTRIES)));
  assert.deepEqual([verdict.state, verdict.records, verdict.firstBad], ['good', 22, undefined]);
  assert.match(verdict.message, /the log is closed$/);
});

test('no flipped byte of any line with a successor passes', async (context) => {
  const directory = writeLog(context, chain(ENTRIES));
  for (const number of [1, 2]) {
    const file = segment(directory, number);
    const good = readFileSync(file);
    for (let at = 0; at < good.length; at += 7) {
      const bad = Buffer.from(good);
      bad[at] = bad[at]! ^ (1 << (at % 8));
      writeFileSync(file, bad);
      const verdict = await verifyAudit(directory);
      assert.equal(verdict.state, 'altered', `byte ${at} of segment ${number}: ${verdict.message}`);
      assert.match(verdict.firstBad ?? '', /^\d{8}T\d{6}Z-00000\d\.jsonl:\d+$/);
    }
    writeFileSync(file, good);
  }
});

test('no deleted, doubled, swapped or inserted line passes', async (context) => {
  const lines = chain(ENTRIES);
  const last = lines.length - 1;
  for (let at = 0; at < last; at += 1) {
    const without = lines.toSpliced(at, 1);
    const doubled = lines.toSpliced(at, 0, lines[at]!);
    const swapped = lines.toSpliced(at, 2, lines[at + 1]!, lines[at]!);
    const forged = lines.toSpliced(at, 0, lines[at]!.replace('alice', 'mallory'));
    for (const bad of [without, doubled, swapped, forged]) {
      assert.equal((await verifyAudit(writeLog(context, bad))).state, 'altered', `at ${at}`);
    }
  }
});

test('parts of two logs joined do not pass, even with fitting numbers', async (context) => {
  const one = chain(ENTRIES);
  const other = chain(ENTRIES.map((entry) => ({ ...entry, address: '192.0.2.1' })));
  for (const at of [3, 8, 16]) {
    const verdict = await verifyAudit(writeLog(context, [...one.slice(0, at), ...other.slice(at)]));
    assert.equal(verdict.state, 'altered');
    assert.match(verdict.message, /hash of the line before/);
  }
});

test('missing segments and an unfinished end are truncation', async (context) => {
  const cases: [(directory: string) => void, RegExp][] = [
    [(directory) => rmSync(segment(directory, 1)), /^segment 1 of the log: not here$/],
    [(directory) => rmSync(segment(directory, 2)), /^segment 2 of the log: not here$/],
    [(directory) => writeFileSync(segment(directory, 3), readFileSync(segment(directory, 3)).subarray(0, -1)), /unfinished/],
    [(directory) => [1, 1, 1].forEach(() => rmSync(segment(directory, 1))), /the log is empty/],
  ];
  for (const [harm, message] of cases) {
    const directory = writeLog(context, chain(ENTRIES));
    harm(directory);
    const verdict = await verifyAudit(directory);
    assert.equal(verdict.state, 'truncated');
    assert.match(verdict.message, message);
  }
});

test('a missing segment does not hide an alteration behind it', async (context) => {
  const directory = writeLog(context, chain(ENTRIES));
  rmSync(segment(directory, 1));
  const file = segment(directory, 1);
  writeFileSync(file, readFileSync(file, 'utf8').replace('alice', 'mallo'));
  assert.equal((await verifyAudit(directory)).state, 'altered');
});

test('renumbered segments do not pass', async (context) => {
  const directory = writeLog(context, chain(ENTRIES));
  rmSync(segment(directory, 2));
  renameSync(segment(directory, 2), join(directory, '20261120T100002Z-000002.jsonl'));
  assert.equal((await verifyAudit(directory)).state, 'altered');
});

test('an unfinished line passes only with the record that accounts for it', async (context) => {
  const torn = '{"seq":9,"time":"20';
  const sha256 = createHash('sha256').update(torn).digest('hex');
  const name = '20261120T100001Z-000001.jsonl';
  const documented = (args: AuditEntry['args']): AuditEntry[] =>
    ENTRIES.toSpliced(8, 0, { kind: 'recovered', object: name, ...(args && { args }) });
  const state = async (entries: readonly AuditEntry[]): Promise<string> => {
    const directory = writeLog(context, chain(entries));
    writeFileSync(segment(directory, 1), torn, { flag: 'a' });
    return (await verifyAudit(directory)).state;
  };
  assert.equal(await state(documented({ size: torn.length, sha256 })), 'good');
  assert.equal(await state(documented({ size: torn.length + 1, sha256 })), 'altered');
  assert.equal(await state(documented({ size: torn.length, sha256: GENESIS })), 'altered');
  assert.equal(await state(documented(undefined)), 'altered');
  assert.equal(await state(ENTRIES), 'altered');
  const without = writeLog(context, chain(documented({ size: torn.length, sha256 })));
  assert.equal((await verifyAudit(without)).state, 'altered');
});

test('reading filters by user, operation, kind, time and request', async (context) => {
  const directory = writeLog(context, chain(ENTRIES));
  const seqs = async (filter: Parameters<typeof readAudit>[1]): Promise<number[]> =>
    (await Array.fromAsync(readAudit(directory, filter))).map(({ seq }) => seq);
  assert.equal((await seqs({})).length, 22);
  assert.deepEqual(await seqs({ user: 'alice', kind: 'intent' }), [2, 6, 10, 14, 18]);
  assert.deepEqual(await seqs({ request: 'r3' }), [8]);
  assert.equal((await seqs({ op: 'files/*' })).length, 20);
  assert.deepEqual(await seqs({ op: 'files/chmod' }), []);
  const since = Date.parse('2026-11-20T10:00:08Z');
  assert.deepEqual(await seqs({ since, until: since + 1000 }), [9, 19]);
});
