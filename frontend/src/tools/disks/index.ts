/** The catalogue entries for disks, in the order in which they are listed. */
import type { AnyTool } from '../tool.ts';
import { disksFreeTool } from './free.ts';
import { disksHealthTool } from './health.ts';
import { disksListTool } from './list.ts';
import { disksMountsTool } from './mounts.ts';
import { disksPartitionsTool } from './partitions.ts';
import { disksPerformanceTool } from './performance.ts';
import { disksUsageTool } from './usage.ts';

export const DISK_TOOLS: readonly AnyTool[] = [
  disksFreeTool,
  disksUsageTool,
  disksListTool,
  disksMountsTool,
  disksPerformanceTool,
  disksHealthTool,
  disksPartitionsTool,
];
