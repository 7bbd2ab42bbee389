/** Every operation there is, group by group. The frontend, the broker's table and the workers draw from here. */
import { auditWatch } from './audit/watch.ts';
import { authSudoRules } from './auth/sudo-rules.ts';
import { cpuList } from './cpu/list.ts';
import { cpuLoadAverage } from './cpu/load-average.ts';
import { CRON_OPERATIONS } from './cron/index.ts';
import { daemonReloadConfig } from './daemon/reload-config.ts';
import { DEVICE_OPERATIONS } from './devices/index.ts';
import { DISK_OPERATIONS } from './disks/index.ts';
import { DOCKER_OPERATIONS } from './docker/index.ts';
import { FILE_OPERATIONS } from './files/index.ts';
import { kernelSystemControl } from './kernel/system-control.ts';
import { LOG_OPERATIONS } from './logs/index.ts';
import { memoryUsage } from './memory/usage.ts';
import { NETWORK_OPERATIONS } from './network/index.ts';
import type { AnyOperation } from './operation.ts';
import { PROCESS_OPERATIONS } from './processes/index.ts';
import { SERVICE_OPERATIONS } from './services/index.ts';
import { SYSTEM_OPERATIONS } from './system/index.ts';
import { TIMER_OPERATIONS } from './timers/index.ts';
import { USER_OPERATIONS } from './users/index.ts';

export const OPERATIONS: readonly AnyOperation[] = [
  ...FILE_OPERATIONS,
  ...DISK_OPERATIONS,
  ...PROCESS_OPERATIONS,
  ...NETWORK_OPERATIONS,
  memoryUsage,
  ...SERVICE_OPERATIONS,
  ...TIMER_OPERATIONS,
  ...SYSTEM_OPERATIONS,
  ...USER_OPERATIONS,
  authSudoRules,
  auditWatch,
  ...LOG_OPERATIONS,
  kernelSystemControl,
  cpuList,
  cpuLoadAverage,
  ...DOCKER_OPERATIONS,
  ...CRON_OPERATIONS,
  daemonReloadConfig,
  ...DEVICE_OPERATIONS,
];

/** The operation of that name, or undefined. */
export function findOperation(name: string): AnyOperation | undefined {
  return OPERATIONS.find((op) => op.name === name);
}
