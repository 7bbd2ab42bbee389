/** Catalogue entry: words, table and JSON form of disks/partitions. */
import { disksPartitions, type PartitionRecord } from '@steward/shared/ops/disks/partitions.ts';
import type { Cells } from '../../render/columns.ts';
import { jsonArray } from '../../render/json.ts';
import { RecordTable } from '../../render/record-table.ts';
import { joinLines } from '../../render/stream.ts';
import { tool, type RenderOptions } from '../tool.ts';

const HEADER = ['DEVICE', 'PARENT', 'NUMBER', 'START_SECTOR', 'SIZE_SECTORS', 'SIZE_BYTES'];

export const disksPartitionsTool = tool({
  name: 'disks/partitions',
  title: 'Partition geometry',
  description:
    'Partition geometry of one disk or all: number, start, size (512-byte sectors). Text table; any output_format value gives JSON.',
  op: disksPartitions,
  // The form is an argument of its own here: any word for it means JSON.
  formats: false,
  unlisted: { output_format: { type: 'string' } },
  human: false,
  text: (outcome, { args }) => {
    if (wantsJson(args)) return { text: jsonArray(outcome.records()), isJson: true };
    const table = new RecordTable({ header: HEADER, cells: cellsOf });
    return { text: joinLines(table.linesOf(() => outcome.records())) };
  },
});

function cellsOf(partition: PartitionRecord): Cells {
  const { device, parent_disk: disk, number, start_sector: start, size_sectors: sectors, size_bytes: bytes } = partition;
  return [device, disk, ...[number, start, sectors, bytes].map(String)];
}

function wantsJson(args: RenderOptions<object>['args']): boolean {
  return 'output_format' in args && typeof args.output_format === 'string' && args.output_format !== '';
}
