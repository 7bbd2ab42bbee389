/**
 * Reads an audit log for people: a stream of records with filters. Says nothing about whether the log is genuine; that is
 * verify.ts.
 */
import { join } from 'node:path';
import { listSegments, readLines } from './segments.ts';
import type { AuditKind, AuditRecord } from './record.ts';

/** What to show; an absent member permits everything. */
export interface AuditFilter {
  readonly user?: string;
  /** Operation, for instance `files/chown`; with a final `*` every operation that begins so. */
  readonly op?: string;
  readonly kind?: AuditKind;
  /** Milliseconds since the epoch, inclusive. */
  readonly since?: number;
  /** Milliseconds since the epoch, exclusive. */
  readonly until?: number;
  readonly request?: string;
}

function opFits(asked: string | undefined, op: string | undefined): boolean {
  if (asked === undefined) return true;
  return asked.endsWith('*') ? (op ?? '').startsWith(asked.slice(0, -1)) : op === asked;
}

/** True when a record is among those asked for. A record without a readable time fits no time limit. */
export function fitsFilter(record: AuditRecord, filter: AuditFilter): boolean {
  const at = Date.parse(record.time);
  return (
    (filter.user === undefined || record.user === filter.user) &&
    opFits(filter.op, record.op) &&
    (filter.kind === undefined || record.kind === filter.kind) &&
    (filter.since === undefined || at >= filter.since) &&
    (filter.until === undefined || at < filter.until) &&
    (filter.request === undefined || record.request === filter.request)
  );
}

/** A line as a record, or undefined when it is none. */
export function parseRecord(bytes: Uint8Array): AuditRecord | undefined {
  try {
    const text = new TextDecoder('utf-8', { fatal: true }).decode(bytes);
    const value = JSON.parse(text) as Partial<AuditRecord> | null;
    const right =
      typeof value === 'object' &&
      Number.isSafeInteger(value?.seq) &&
      typeof value?.time === 'string' &&
      typeof value.prev === 'string' &&
      typeof value.kind === 'string';
    return right ? (value as AuditRecord) : undefined;
  } catch {
    return undefined;
  }
}

/**
 * The records of the log in `directory` that fit, oldest first. Lines that are no records (torn by a crash) are skipped. Throws
 * the system error when the directory or a segment cannot be read.
 */
export async function* readAudit(directory: string, filter: AuditFilter = {}): AsyncGenerator<AuditRecord> {
  for (const segment of await listSegments(directory)) {
    for await (const line of readLines(join(directory, segment.name))) {
      const record = line.complete ? parseRecord(line.bytes) : undefined;
      if (record !== undefined && fitsFilter(record, filter)) yield record;
    }
  }
}
