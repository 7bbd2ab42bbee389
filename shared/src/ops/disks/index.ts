/** The operations on disks, in the order of the catalogue. */
import type { AnyOperation } from '../operation.ts';
import { disksFree } from './free.ts';
import { disksHealth } from './health.ts';
import { disksList } from './list.ts';
import { disksMounts } from './mounts.ts';
import { disksPartitions } from './partitions.ts';
import { disksPerformance } from './performance.ts';
import { disksUsage } from './usage.ts';

export const DISK_OPERATIONS: readonly AnyOperation[] = [
  disksFree,
  disksUsage,
  disksList,
  disksMounts,
  disksPerformance,
  disksHealth,
  disksPartitions,
];
