/** For tests of readers: a sealed audit log as a broker would have written it, with keys of its own, in a temporary directory. */
import { createHash } from 'node:crypto';
import { mkdirSync, mkdtempSync, readdirSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { readAnchors } from '../audit/anchor.ts';
import { GENESIS, type AuditEntry, type AuditRecord } from '../audit/record.ts';
import { makeSeal, openSealKeys } from '../audit/seal-keys.ts';
import { verifyAudit, type Verdict } from '../audit/verify.ts';

interface Cleanup {
  after(fn: () => void): void;
}

/** An entry, or what stands for a seal at that place. */
export type Written = AuditEntry | 'seal' | 'final seal';

export interface SealedLog {
  readonly directory: string;
  /** Where its secret key is. */
  readonly keys: string;
  /** The anchor file beside it, as text. */
  readonly anchor: string;
  /** Paths of the segments, oldest first. */
  segments(): string[];
}

/** When the first record was written; one second lies between two records. */
export const LOG_BEGAN = Date.parse('2026-11-20T10:00:00.000Z');

/** A scratch directory with an empty log, removed after the test. */
export function emptyLog(context: Cleanup): SealedLog {
  const scratch = mkdtempSync(join(tmpdir(), 'steward-sealed-'));
  context.after(() => rmSync(scratch, { recursive: true, force: true }));
  const [directory, keys] = [join(scratch, 'audit'), join(scratch, 'keys')];
  mkdirSync(directory, { mode: 0o700 });
  openSealKeys(keys, directory);
  return {
    directory,
    keys,
    anchor: readFileSync(join(directory, 'seal.pub'), 'utf8'),
    segments: () =>
      readdirSync(directory)
        .filter((name) => name.endsWith('.jsonl'))
        .sort()
        .map((name) => join(directory, name)),
  };
}

/** Writes entries to a log, each inner list as one segment, from the record `after` on. Returns the last record written. */
export function writeEntries(
  log: Pick<SealedLog, 'directory' | 'keys'>,
  segments: readonly (readonly Written[])[],
  after: { seq: number; hash: string; segment: number } = { seq: 0, hash: GENESIS, segment: 0 },
): { seq: number; hash: string } {
  let { seq, hash: prev } = after;
  segments.forEach((entries, index) => {
    const lines = entries.map((entry) => {
      const now = new Date(LOG_BEGAN + seq * 1000).toISOString();
      const head = { head: seq, hash: prev, made: now, every: 60 };
      const made: AuditEntry =
        typeof entry === 'string'
          ? { kind: 'seal', seal: makeSeal(log.keys, { ...head, final: entry === 'final seal' }) }
          : entry;
      const record: AuditRecord = { seq: (seq += 1), time: now, prev, ...made };
      const line = JSON.stringify(record);
      prev = createHash('sha256').update(line).digest('hex');
      return `${line}\n`;
    });
    const number = String(after.segment + index + 1).padStart(6, '0');
    writeFileSync(join(log.directory, `20261120T100000Z-${number}.jsonl`), lines.join(''), { mode: 0o600 });
  });
  return { seq, hash: prev };
}

/** A log of one segment with these entries; removed with the test. */
export function logOf(context: { after(fn: () => void): void }, entries: readonly Written[]): SealedLog {
  const made = emptyLog(context);
  writeEntries(made, [entries]);
  return made;
}

/** Three intents, numbered from `from` on. */
export const work = (from: number): AuditEntry[] =>
  Array.from({ length: 3 }, (_, index) => ({ kind: 'intent', user: 'alice', op: 'files/chown', object: `/srv/${from + index}` }));

/** A log of three segments that is closed: 26 records, six of them seals. */
export const SEGMENTS: readonly (readonly Written[])[] = [
  [{ kind: 'start' }, ...work(0), 'seal', ...work(10), 'seal'],
  [...work(20), 'seal', ...work(30), 'seal', ...work(40)],
  ['seal', ...work(50), { kind: 'stop' }, 'final seal'],
];

/** A log with these segments; removed with the test. */
export function wholeLog(context: Cleanup, segments = SEGMENTS): SealedLog {
  const log = emptyLog(context);
  writeEntries(log, segments);
  return log;
}

/** Verified with the first key as the auditor noted it, when the log had just been copied. */
export function check(log: SealedLog, anchors = log.anchor, now = LOG_BEGAN + 40_000): Promise<Verdict> {
  return verifyAudit(log.directory, { anchors: readAnchors(anchors), now });
}

/** All lines of all segments, changed, with the chain made to fit again. */
export function rewrite(log: SealedLog, change: (line: string, index: number) => string): void {
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
