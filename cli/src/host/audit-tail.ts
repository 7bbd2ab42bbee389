/** stewardctl audit tail: the last records of the audit log of this host, and with -f every further one as it is written. */
import { setTimeout as sleep } from 'node:timers/promises';
import { LogFollower } from '@steward/shared/audit/follow.ts';
import { fitsFilter } from '@steward/shared/audit/read.ts';
import type { AuditRecord } from '@steward/shared/audit/record.ts';
import { listSegments } from '@steward/shared/audit/segments.ts';
import { optionOf } from './answer.ts';
import { AUDIT_USAGE, FILTERS, readFilter } from './audit-filter.ts';
import { isHidden, JSON_LINES, writeRecord } from './audit-show.ts';
import { auditDirectory, unreadable } from './audit-verify.ts';
import type { HostCall, HostCommand } from './command.ts';
import { CliError, EXIT } from '../exit.ts';

const DEFAULT_LINES = 10;
/** Milliseconds between two looks at the log. */
const LOOK_MS = 300;

interface Tail {
  readonly records: AuditRecord[];
  /** Goes on behind them. */
  readonly follower: LogFollower;
}

/** The last records that are wanted: of the newest segments, twice as many each time until there are enough. */
async function lastOnes(directory: string, wanted: (record: AuditRecord) => boolean, count: number): Promise<Tail> {
  const numbers = (await listSegments(directory)).map(({ number }) => number);
  for (let segments = 1; ; segments *= 2) {
    const follower = new LogFollower(directory, numbers.at(-segments) ?? 0);
    const records: AuditRecord[] = [];
    for await (const record of follower.look()) {
      if (!wanted(record)) continue;
      records.push(record);
      if (records.length > count) records.shift();
    }
    if (records.length >= count || segments >= numbers.length) return { records, follower };
  }
}

function countOf(call: HostCall): number {
  const text = optionOf(call, 'lines');
  if (text === undefined) return DEFAULT_LINES;
  if (!/^\d{1,6}$/.test(text)) throw new CliError(AUDIT_USAGE, `--lines must be a number, got "${text}"`);
  return Number(text);
}

async function tail(call: HostCall): Promise<number> {
  const directory = auditDirectory(call);
  const filter = readFilter(call);
  const count = countOf(call);
  const wanted = (record: AuditRecord): boolean => fitsFilter(record, filter) && !isHidden(record, filter, call);
  try {
    const { records, follower } = await lastOnes(directory, wanted, count);
    for (const record of records) writeRecord(call, record);
    while (call.options.has('follow') && call.signal?.aborted !== true) {
      await sleep(LOOK_MS, undefined, call.signal === undefined ? {} : { signal: call.signal }).catch(() => undefined);
      for await (const record of follower.look()) if (wanted(record)) writeRecord(call, record);
    }
  } catch (error) {
    throw unreadable(directory, error);
  }
  return call.signal?.aborted === true ? EXIT.interrupted : EXIT.done;
}

export const auditTailCommands: readonly HostCommand[] = [
  {
    path: ['audit', 'tail'],
    usage: '[PATH]',
    summary: 'Show the last records of the audit log, and with -f the ones to come',
    options: [
      { name: 'follow', short: 'f', summary: 'Go on until Ctrl-C' },
      { name: 'lines', short: 'n', value: 'COUNT', summary: `How many of the last records; default ${DEFAULT_LINES}` },
      ...FILTERS,
      JSON_LINES,
    ],
    run: tail,
  },
];
