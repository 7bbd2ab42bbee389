/** Rows of the allowlist: the kernel's log and login records. How to read a row: table.ts. */
import { logsDmesg } from '@steward/shared/ops/logs/dmesg.ts';
import { logsLogins } from '@steward/shared/ops/logs/logins.ts';
import { none } from '../restrict.ts';
import type { Row } from '../row.ts';

// prettier-ignore
export const LOG_ROWS: readonly Row[] = [
  {
    op: logsDmesg,           grant: { tool: 'logs/dmesg' },      effect: 'read',  restriction: none,            cancel: 'stops',
    touches: { capabilities: ['SYSLOG'], programs: [], sockets: [], paths: ['/dev/kmsg', '/proc/stat'] },
    limits:  { deadlineSeconds: 60, maxResultBytes: 1024 * 1024, maxUploadBytes: 0 },
    shown:   ['level'],
  },
  {
    op: logsLogins,          grant: { tool: 'logs/logins' },     effect: 'read',  restriction: none,            cancel: 'stops',
    touches: { capabilities: ['DAC_READ_SEARCH'], programs: [], sockets: [], paths: ['/var/log/wtmp', '/var/log/btmp', '/var/lib/wtmpdb/wtmp.db'] },
    limits:  { deadlineSeconds: 120, maxResultBytes: 0, maxUploadBytes: 0 },
    shown:   ['type', 'limit', 'user'],
  },
];
