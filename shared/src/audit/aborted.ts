/**
 * Finds intents of an earlier run that have no outcome, because the broker died in between. Reads in the background, in flat
 * memory, and not more than the newest 64 MiB of the log.
 */
import { stat } from 'node:fs/promises';
import { join } from 'node:path';
import { parseRecord } from './read.ts';
import type { AuditEntry, AuditRecord } from './record.ts';
import { listSegments, readLines } from './segments.ts';

const BUDGET = 64 * 1024 * 1024;

/** The parts of segments below `number` to read, oldest first. */
async function parts(directory: string, number: number): Promise<{ path: string; start: number }[]> {
  const segments = (await listSegments(directory)).filter((segment) => segment.number < number);
  const chosen: { path: string; start: number }[] = [];
  let left = BUDGET;
  for (const { name } of segments.reverse()) {
    if (left <= 0) break;
    const { size } = await stat(join(directory, name));
    chosen.unshift({ path: join(directory, name), start: Math.max(0, size - left) });
    left -= size;
  }
  return chosen;
}

function abortedEntry(intent: AuditRecord): AuditEntry {
  const { seq, time, prev: _prev, kind: _kind, args: _args, upload: _upload, ...rest } = intent;
  return { ...rest, kind: 'aborted', intent: seq, detail: `the broker ended before the outcome of ${time} was recorded` };
}

/** `aborted` records for the segments below `number`. Ends early, with what it has, when `stopped` says so. */
export async function findAborted(directory: string, number: number, stopped: () => boolean): Promise<AuditEntry[]> {
  const open = new Map<number, AuditRecord>();
  for (const { path, start } of await parts(directory, number)) {
    for await (const line of readLines(path, start)) {
      if (stopped()) return [];
      const record = line.complete ? parseRecord(line.bytes) : undefined;
      if (record?.kind === 'intent') open.set(record.seq, record);
      else if (record?.intent !== undefined) open.delete(record.intent);
    }
  }
  return [...open.values()].map(abortedEntry);
}
