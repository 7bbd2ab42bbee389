/** stewardctl audit show: the records of an audit log, one line each, with filters. */
import { readAudit, type AuditFilter } from '@steward/shared/audit/read.ts';
import type { AuditRecord } from '@steward/shared/audit/record.ts';
import { FILTERS, readFilter } from './audit-filter.ts';
import { auditDirectory, unreadable } from './audit-verify.ts';
import type { HostCall, HostCommand, HostOption } from './command.ts';
import { EXIT } from '../exit.ts';
import { jsonForTerminal, oneCell } from '../safety.ts';

/** Columns for what nearly every record has; a longer one moves the rest of its line. */
const [SEQ_WIDTH, KIND_WIDTH] = [6, 8];

/** One line: when, what, who, on which object, and how it was decided. */
export function recordLine(record: AuditRecord): string {
  const { seq, time, kind, user, token, address, op, object, code, rule, duration_ms, intent, detail, request, seal } = record;
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
    seal === undefined ? undefined : `epoch ${seal.epoch} seals ${seal.head}${seal.final ? ', the end' : ''}`,
  ];
  return parts
    .filter((part) => part !== undefined)
    .join(' ')
    .trimEnd();
}

/** Prints one record, as JSON or as a line. */
export function writeRecord(call: HostCall, record: AuditRecord): void {
  const text = call.options.has('json') ? jsonForTerminal(JSON.stringify(record)) : oneCell(recordLine(record));
  call.out.write(`${text}\n`);
}

/** Seals are many, and about nothing that anybody did: people see them when they ask for them. */
export function isHidden(record: AuditRecord, filter: AuditFilter, call: HostCall): boolean {
  return record.kind === 'seal' && filter.kind !== 'seal' && !call.options.has('json');
}

async function show(call: HostCall): Promise<number> {
  const directory = auditDirectory(call);
  const filter = readFilter(call);
  try {
    for await (const record of readAudit(directory, filter)) {
      if (!isHidden(record, filter, call)) writeRecord(call, record);
    }
  } catch (error) {
    throw unreadable(directory, error);
  }
  return EXIT.done;
}

/** The switch for records as they are. */
export const JSON_LINES: HostOption = { name: 'json', summary: 'The records as JSON Lines' };

export const auditShowCommands: readonly HostCommand[] = [
  {
    path: ['audit', 'show'],
    usage: '[PATH]',
    summary: 'Show records of the audit log',
    options: [...FILTERS, JSON_LINES],
    run: show,
  },
];
