/** Catalogue entry: words and table of disks/performance. */
import { disksPerformance } from '@steward/shared/ops/disks/performance.ts';
import { mapped } from '../../render/batches.ts';
import { tableLines } from '../../render/columns.ts';
import { escapeName } from '../../render/names.ts';
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
    text: joinLines(
      tableLines(HEADER, () =>
        mapped(outcome.records(), (stats) => [
          escapeName(stats.device_name),
          ...[stats.reads_completed, stats.writes_completed, stats.sectors_read, stats.sectors_written].map(String),
          String(stats.time_doing_ios_ms),
        ]),
      ),
    ),
  }),
});
