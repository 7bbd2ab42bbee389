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
import { CRON_ROWS } from './ops/cron.ts';
import { DISK_ROWS } from './ops/disks.ts';
import { FILE_ROWS } from './ops/files.ts';
import { LOG_ROWS } from './ops/logs.ts';
import { NETWORK_ROWS } from './ops/network.ts';
import { PROCESS_ROWS } from './ops/processes.ts';
import { SERVICE_ROWS } from './ops/services.ts';
import { STEWARD_ROWS } from './ops/steward.ts';
import { SYSTEM_ROWS } from './ops/system.ts';
import type { Row } from './row.ts';

const rows: readonly Row[] = [
  ...FILE_ROWS,
  ...DISK_ROWS,
  ...PROCESS_ROWS,
  ...NETWORK_ROWS,
  ...SERVICE_ROWS,
  ...SYSTEM_ROWS,
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
