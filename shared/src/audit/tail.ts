/**
 * Finds where the chain of an existing log ends: the last complete record, and unfinished bytes behind it that a crash left.
 * Those stay where they are; the next record says what they were.
 */
import { createHash } from 'node:crypto';
import { open } from 'node:fs/promises';
import { join } from 'node:path';
import { parseRecord } from './read.ts';
import { GENESIS, type AuditEntry } from './record.ts';
import { listSegments, MAX_LINE } from './segments.ts';
import { StewardError } from '../errors.ts';

export interface Tail {
  readonly seq: number;
  /** SHA-256 of the last complete line. */
  readonly prev: string;
  /** True when the run that wrote the last record ended in order, and in a new log. */
  readonly closed: boolean;
  /** The epoch of the seal that the last record is, if it is one. */
  readonly sealed: number | undefined;
  /** Number of the newest segment, 0 in a new log. */
  readonly number: number;
  /** A `recovered` record for each unfinished line that none accounts for yet, oldest first. */
  readonly recovered: readonly AuditEntry[];
}

interface End {
  /** The last complete line; undefined when there is none. */
  readonly line: Buffer | undefined;
  /** The line before it, if it was read along with it. */
  readonly before: Buffer;
  /** What stands behind it. */
  readonly torn: Buffer;
}

async function endOf(path: string): Promise<End> {
  const file = await open(path);
  try {
    let from = (await file.stat()).size;
    let tail = Buffer.alloc(0);
    while (from > 0 && tail.length <= 2 * MAX_LINE) {
      const block = Buffer.alloc(Math.min(from, 64 * 1024));
      from -= block.length;
      await file.read(block, 0, block.length, from);
      tail = Buffer.concat([block, tail]);
      const end = tail.lastIndexOf(10);
      const begin = end < 1 ? -1 : tail.lastIndexOf(10, end - 1);
      if (end < 0 || (begin < 0 && from > 0)) continue;
      const before = begin < 1 ? Buffer.alloc(0) : tail.subarray(tail.lastIndexOf(10, begin - 1) + 1, begin);
      return { line: tail.subarray(begin + 1, end), before, torn: tail.subarray(end + 1) };
    }
    return { line: undefined, before: Buffer.alloc(0), torn: tail };
  } finally {
    await file.close();
  }
}

function sha256(bytes: Uint8Array): string {
  return createHash('sha256').update(bytes).digest('hex');
}

/** Throws `audit_unavailable` when the last complete line is no record, and system errors. */
export async function findTail(directory: string): Promise<Tail> {
  const segments = await listSegments(directory);
  const number = segments.at(-1)?.number ?? 0;
  const recovered: AuditEntry[] = [];
  for (const { name } of segments.reverse()) {
    const { line, before, torn } = await endOf(join(directory, name));
    if (torn.length > 0) {
      const args = { size: torn.length, sha256: sha256(torn) };
      recovered.unshift({ kind: 'recovered', object: name, args, detail: 'the last line of this segment is unfinished' });
    }
    if (line === undefined) continue;
    const record = parseRecord(line);
    if (record === undefined) throw new StewardError('audit_unavailable', { reason: `the last line of ${name} is not a record` });
    // a run that ended in order, but before it had named what an earlier one left open, seals its end without a stop
    const closed = (record.seal?.final === true ? parseRecord(before) : record)?.kind === 'stop';
    return { seq: record.seq, prev: sha256(line), closed, sealed: record.seal?.epoch, number, recovered };
  }
  return { seq: 0, prev: GENESIS, closed: true, sealed: undefined, number, recovered };
}
