/** Audit logs without seals for one test each: where they lie, how they are opened and read. Test only. */
import assert from 'node:assert/strict';
import { mkdtempSync, readdirSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { readAudit } from '@steward/shared/audit/read.ts';
import type { AuditRecord } from '@steward/shared/audit/record.ts';
import { StewardError } from '@steward/shared/errors.ts';
import { AuditLog } from '../../broker/src/audit/log.ts';

/** A scratch directory for one test, and the log's place in it. */
export function logPlace(context: { after(fn: () => void): void }): string {
  const scratch = mkdtempSync(join(tmpdir(), 'steward-audit-'));
  context.after(() => rmSync(scratch, { recursive: true, force: true }));
  return join(scratch, 'audit');
}

/** Opened as the broker does, with small segments where a test says so. */
export function openLog(directory: string, segmentBytes = 16_777_216): Promise<AuditLog> {
  return AuditLog.open({ directory, segmentBytes, tableDigest: 'ab'.repeat(32) });
}

/** All records, in order. */
export async function records(directory: string): Promise<AuditRecord[]> {
  return Array.fromAsync(readAudit(directory));
}

/** Names of the segments, in no order. */
export function segments(directory: string): string[] {
  return readdirSync(directory).filter((name) => name.endsWith('.jsonl'));
}

/** The reason with which an append was refused. */
export async function refusal(promise: Promise<number>): Promise<string> {
  const error: unknown = await promise.then(
    () => undefined,
    (caught: unknown) => caught,
  );
  assert.ok(error instanceof StewardError, 'must be refused');
  assert.equal(error.key, 'audit_unavailable');
  return String(error.params['reason']);
}
