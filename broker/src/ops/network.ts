/** Rows of the allowlist: sockets and who owns them. How to read a row: table.ts. */
import { networkConnections } from '@steward/shared/ops/network/connections.ts';
import { none } from '../restrict.ts';
import type { Row } from '../row.ts';
import { limits, touches } from './columns.ts';

// prettier-ignore
export const NETWORK_ROWS: readonly Row[] = [
  {
    op: networkConnections,  grant: { tool: 'network/connections' }, effect: 'read', restriction: none,         cancel: 'stops',
    touches: touches(['DAC_READ_SEARCH', 'SYS_PTRACE'], ['/proc/net/{tcp,tcp6,udp,udp6}', '/proc/<pid>/fd']),
    limits:  limits(60, 0),
    shown:   ['state', 'port'],
  },
];
