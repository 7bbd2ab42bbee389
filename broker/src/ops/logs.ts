/** Rows of the allowlist: the journal, the kernel's log and login records. How to read a row: table.ts. */
import { logsDmesg } from '@steward/shared/ops/logs/dmesg.ts';
import { journalControl } from '@steward/shared/ops/logs/journal-control.ts';
import { logsLogins } from '@steward/shared/ops/logs/logins.ts';
import { none } from '../restrict.ts';
import type { ProgramUse, Row } from '../row.ts';
import { limits, MiB, touches } from './columns.ts';

const JOURNALCTL: ProgramUse = {
  name: 'journalctl',
  argv: [
    ...['--system', '--no-pager', '--quiet', '--lines=<n>', '--output=short|json'],
    ...['[--unit=<unit>]', '[--since=<time>]', '[--until=<time>]', '[--boot=<n>]', '[--reverse]'],
  ],
};

// prettier-ignore
export const LOG_ROWS: readonly Row[] = [
  {
    op: journalControl,      grant: { tool: 'logs/journal-control' }, effect: 'read', restriction: none,        cancel: 'stops',
    touches: touches(['DAC_READ_SEARCH'], ['/var/log/journal', '/run/log/journal'], [JOURNALCTL]),
    limits:  limits(300, 4 * MiB),
    shown:   ['unit', 'lines', 'since', 'until', 'reverse', 'boot', 'boot_offset'],
  },
  {
    op: logsDmesg,           grant: { tool: 'logs/dmesg' },      effect: 'read',  restriction: none,            cancel: 'stops',
    touches: touches(['SYSLOG'], ['/dev/kmsg', '/proc/stat']),
    limits:  limits(60, MiB),
    shown:   ['level'],
  },
  {
    op: logsLogins,          grant: { tool: 'logs/logins' },     effect: 'read',  restriction: none,            cancel: 'stops',
    touches: touches(['DAC_READ_SEARCH'], ['/var/log/wtmp', '/var/log/btmp', '/var/lib/wtmpdb/wtmp.db']),
    limits:  limits(120, 0),
    shown:   ['type', 'limit', 'user'],
  },
];
