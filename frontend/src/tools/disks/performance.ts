/** Catalogue entry: words and table of disks/performance. */
import type { DiskStats } from '@steward/shared/host/diskstats.ts';
import { disksPerformance } from '@steward/shared/ops/disks/performance.ts';
import type { Cells } from '../../render/columns.ts';
import { escapeName } from '../../render/names.ts';
import { RecordTable } from '../../render/record-table.ts';
import { joinLines } from '../../render/stream.ts';
import { tool } from '../tool.ts';

const HEADER = ['DEVICE', 'READS', 'WRITES', 'SECT_READ', 'SECT_WRITE', 'IO_MS'];

export const disksPerformanceTool = tool({
  name: 'disks/performance',
  title: 'Disk I/O counters',
  description:
    'Cumulative I/O counters per block device since boot. Omit device for all but loop and ram. Text table, json or yaml.',
  op: disksPerformance,
  formats: true,
  human: false,
  text: (outcome) => ({
    text: joinLines(new RecordTable({ header: HEADER, cells: cellsOf }).linesOf(() => outcome.records())),
  }),
});

function cellsOf(stats: DiskStats): Cells {
  return [
    escapeName(stats.device_name),
    ...[stats.reads_completed, stats.writes_completed, stats.sectors_read, stats.sectors_written].map(String),
    String(stats.time_doing_ios_ms),
  ];
}
