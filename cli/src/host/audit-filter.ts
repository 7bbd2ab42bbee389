/** Which records of the audit log a command is about: its options, and moments of time as people write them. */
import { isTime } from '@steward/shared/config/scalars.ts';
import type { AuditFilter } from '@steward/shared/audit/read.ts';
import { AUDIT_KINDS, type AuditKind } from '@steward/shared/audit/record.ts';
import { optionOf } from './answer.ts';
import type { HostCall, HostOption } from './command.ts';
import { CliError } from '../exit.ts';

/** EX_USAGE of sysexits.h: a script must tell an altered log from a wrong command line. */
export const AUDIT_USAGE = 64;

const UNITS: Readonly<Record<string, number>> = { s: 1000, m: 60_000, h: 3_600_000, d: 86_400_000 };

/** A moment: RFC 3339, a day, or an age such as `90m`, `2d`. In milliseconds since the epoch. */
export function readMoment(name: string, value: string, now = Date.now()): number {
  const age = /^(\d{1,9})([smhd])$/.exec(value);
  if (age !== null) return now - Number(age[1]) * (UNITS[age[2] ?? ''] ?? 0);
  const full = /^\d{4}-\d\d-\d\d$/.test(value) ? `${value}T00:00:00Z` : value;
  if (isTime(full)) return Date.parse(full);
  throw new CliError(
    AUDIT_USAGE,
    `--${name} must be a time like 2026-11-20T09:00:00Z, a day, or an age like 90m or 2d, got "${value}"`,
  );
}

function readKind(value: string): AuditKind {
  const kind = AUDIT_KINDS.find((one) => one === value);
  if (kind === undefined) throw new CliError(AUDIT_USAGE, `--kind must be one of ${AUDIT_KINDS.join(', ')}, got "${value}"`);
  return kind;
}

/** The filter that the options say. */
export function readFilter(call: HostCall): AuditFilter {
  const [user, op, kind, request] = ['user', 'op', 'kind', 'request'].map((name) => optionOf(call, name));
  const [since, until] = ['since', 'until'].map((name) => {
    const value = optionOf(call, name);
    return value === undefined ? undefined : readMoment(name, value);
  });
  return {
    ...(user !== undefined && { user }),
    ...(op !== undefined && { op }),
    ...(kind !== undefined && { kind: readKind(kind) }),
    ...(request !== undefined && { request }),
    ...(since !== undefined && { since }),
    ...(until !== undefined && { until }),
  };
}

/** Options that choose records. */
export const FILTERS: readonly HostOption[] = [
  { name: 'user', value: 'NAME', summary: 'Only of this user' },
  { name: 'op', value: 'OPERATION', summary: 'Only this operation, for instance files/chown or files/*' },
  { name: 'kind', value: 'KIND', summary: `One of ${AUDIT_KINDS.join(', ')}` },
  { name: 'since', value: 'TIME', summary: 'From this time on: RFC 3339, a day, or an age like 2d' },
  { name: 'until', value: 'TIME', summary: 'Before this time' },
  { name: 'request', value: 'ID', summary: 'Only of this request' },
];
