/**
 * The allowlist: everything that runs as root, one row each, and nothing else does. An operation that is not here cannot be asked
 * for; asking ends the connection.
 *
 * How to read a row. `op` names the module that does the work (shared/src/ops, the same that runs unprivileged in the frontend),
 * with the schema of its arguments. `grant` says who may: a user of grants.yaml. `restriction` says on which object: it judges
 * the object that was reached, not the text that was typed, and the operation gets that object and no path. `touches` is what the
 * row needs of the system; the broker's capabilities and the programs it may execute are the union of these columns. `limits` and
 * `cancel` say how long, how much, and what happens when the caller goes away. `shown` are the arguments in the audit record.
 *
 * Adding a row: docs/ARCHITECTURE.md, "Adding a tool". After any change: make allowlist, and read the difference.
 */
import { CRON_ROWS } from './rows/cron.ts';
import { DISK_ROWS } from './rows/disks.ts';
import { FILE_ROWS } from './rows/files.ts';
import { LOG_ROWS } from './rows/logs.ts';
import { NETWORK_ROWS } from './rows/network.ts';
import { JOURNAL_ROWS } from './rows/logs-journal.ts';
import { PROCESS_ROWS } from './rows/processes.ts';
import { SERVICE_ROWS } from './rows/services.ts';
import { STEWARD_ROWS } from './rows/steward.ts';
import { SYSTEM_ROWS } from './rows/system.ts';
import type { Row } from './row.ts';

const rows: readonly Row[] = [
  ...FILE_ROWS,
  ...DISK_ROWS,
  ...PROCESS_ROWS,
  ...NETWORK_ROWS,
  ...SERVICE_ROWS,
  ...SYSTEM_ROWS,
  ...JOURNAL_ROWS,
  ...LOG_ROWS,
  ...CRON_ROWS,
  ...STEWARD_ROWS,
];

/** Makes data unchangeable all the way down. */
function frozen<T>(value: T): T {
  if (typeof value !== 'object' || value === null || Object.isFrozen(value)) return value;
  for (const member of Object.values(value)) frozen(member);
  return Object.freeze(value);
}

/** The allowlist, frozen. */
export const TABLE: readonly Row[] = frozen(rows);
