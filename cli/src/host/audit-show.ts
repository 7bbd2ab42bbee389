/** stewardctl audit show: the records of an audit log, one line each, with filters. */
import { isTime } from '@steward/shared/config/scalars.ts';
import { readAudit, type AuditFilter } from '@steward/shared/audit/read.ts';
import type { AuditKind, AuditRecord } from '@steward/shared/audit/record.ts';
import { AUDIT_USAGE, auditDirectory, unreadable } from './audit-verify.ts';
import { optionOf } from './answer.ts';
import type { HostCall, HostCommand, HostOption } from './command.ts';
import { CliError, EXIT } from '../exit.ts';
import { jsonForTerminal, oneCell } from '../safety.ts';

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

const KINDS: readonly AuditKind[] = [
  'start',
  'stop',
  'session',
  'session-refused',
  'intent',
  'outcome',
  'refusal',
  'violation',
  'reload',
  'aborted',
  'recovered',
];

function readKind(value: string): AuditKind {
  const kind = KINDS.find((one) => one === value);
  if (kind === undefined) throw new CliError(AUDIT_USAGE, `--kind must be one of ${KINDS.join(', ')}, got "${value}"`);
  return kind;
}

function readFilter(call: HostCall): AuditFilter {
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

/** Columns for what nearly every record has; a longer one moves the rest of its line. */
const [SEQ_WIDTH, KIND_WIDTH] = [6, 8];

/** One line: when, what, who, on which object, and how it was decided. */
export function recordLine(record: AuditRecord): string {
  const { seq, time, kind, user, token, address, op, object, code, rule, duration_ms, intent, detail, request } = record;
  const from = address === undefined ? undefined : `from ${address}`;
  const who = user === undefined ? from : `${user}${token === undefined ? '' : `/${token}`}@${address ?? '-'}`;
  const parts = [
    `${time} ${String(seq).padStart(SEQ_WIDTH)} ${kind.padEnd(KIND_WIDTH)}`,
    who,
    op,
    object,
    code,
    intent === undefined ? undefined : `of ${intent}`,
    duration_ms === undefined ? undefined : `in ${duration_ms} ms`,
    rule === undefined ? undefined : `[${rule}]`,
    detail === undefined ? undefined : `(${detail})`,
    request === undefined ? undefined : `request ${request}`,
  ];
  return parts
    .filter((part) => part !== undefined)
    .join(' ')
    .trimEnd();
}

async function show(call: HostCall): Promise<number> {
  const directory = auditDirectory(call);
  const filter = readFilter(call);
  const json = call.options.has('json');
  try {
    for await (const record of readAudit(directory, filter)) {
      call.out.write(`${json ? jsonForTerminal(JSON.stringify(record)) : oneCell(recordLine(record))}\n`);
    }
  } catch (error) {
    throw unreadable(directory, error);
  }
  return EXIT.done;
}

const FILTERS: readonly HostOption[] = [
  { name: 'user', value: 'NAME', summary: 'Only of this user' },
  { name: 'op', value: 'OPERATION', summary: 'Only this operation, for instance files/chown or files/*' },
  { name: 'kind', value: 'KIND', summary: `One of ${KINDS.join(', ')}` },
  { name: 'since', value: 'TIME', summary: 'From this time on: RFC 3339, a day, or an age like 2d' },
  { name: 'until', value: 'TIME', summary: 'Before this time' },
  { name: 'request', value: 'ID', summary: 'Only of this request' },
  { name: 'json', summary: 'The records as JSON Lines' },
];

export const auditShowCommands: readonly HostCommand[] = [
  { path: ['audit', 'show'], usage: '[PATH]', summary: 'Show records of the audit log', options: FILTERS, run: show },
];
