/**
 * The operations that may run in worker threads: a thread reads no other, because every one costs each thread memory and time before
 * its first job. A test compares the list with what the operations say themselves.
 */
import { disksList } from './disks/list.ts';
import { disksMounts } from './disks/mounts.ts';
import { disksPartitions } from './disks/partitions.ts';
import { disksUsage } from './disks/usage.ts';
import { filesChmod } from './files/chmod.ts';
import { filesChown } from './files/chown.ts';
import { filesFind } from './files/find.ts';
import { filesList } from './files/list.ts';
import { logsDmesg } from './logs/dmesg.ts';
import { logsLogins } from './logs/logins.ts';
import { networkConnections } from './network/connections.ts';
import type { AnyOperation } from './operation.ts';
import { processesList } from './processes/list.ts';
import { processCommandLine, processOpenFiles } from './processes/resource.ts';
import { processesTop } from './processes/top.ts';
import { systemPackages } from './system/packages.ts';

export const WORKER_OPERATIONS: readonly AnyOperation[] = [
  filesFind,
  filesList,
  filesChmod,
  filesChown,
  disksUsage,
  disksList,
  disksMounts,
  disksPartitions,
  processesList,
  processesTop,
  processCommandLine,
  processOpenFiles,
  networkConnections,
  logsDmesg,
  logsLogins,
  systemPackages,
];
