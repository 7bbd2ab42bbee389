/** Catalogue entry: words, tree and JSON form of disks/list. */
import { disksList, type BlockDeviceRecord } from '@steward/shared/ops/disks/list.ts';
import type { Cells } from '../../render/columns.ts';
import { arrayOf, jsonDocument } from '../../render/document.ts';
import { escapeName } from '../../render/names.ts';
import { RecordTable } from '../../render/record-table.ts';
import { sizeAsLs } from '../../render/sizes.ts';
import { joinLines } from '../../render/stream.ts';
import { tool } from '../tool.ts';

const HEADER = ['NAME', 'KNAME', 'MAJ:MIN', 'RM', 'SIZE', 'SIZE_BYTES', 'RO', 'TYPE', 'MOUNTPOINTS'];

export const disksListTool = tool({
  name: 'disks/list',
  title: 'List block devices',
  description:
    'List block devices and partitions as a tree with sizes, types and mount points. Text table or JSON. Details: disks/partitions, disks/performance.',
  op: disksList,
  formats: true,
  human: true,
  text: (outcome, { human }) => ({ text: joinLines(lines(() => outcome.records(), human)) }),
  json: (outcome) => ({ text: jsonDocument([['blockdevices', arrayOf(outcome.records())]]) }),
});

async function* lines(records: () => AsyncIterable<BlockDeviceRecord>, human: boolean): AsyncGenerator<string> {
  yield 'BLOCKDEVICES';
  const table = new RecordTable<Cells>({ header: HEADER, cells: (row) => row });
  yield* table.linesOf(() => rows(records(), human));
}

async function* rows(records: AsyncIterable<BlockDeviceRecord>, human: boolean): AsyncGenerator<Cells> {
  for await (const device of records) yield* rowsOf(device, '', '', human);
}

/** `branch` is what stands before the name, `trunk` what stands before the names below it. */
function* rowsOf(device: BlockDeviceRecord, branch: string, trunk: string, human: boolean): Generator<Cells> {
  const { name, kname, rm, size_bytes: bytes, ro, type, mountpoints, children } = device;
  yield [
    branch + escapeName(name),
    kname,
    device['maj:min'],
    rm ? '1' : '0',
    human ? sizeAsLs(bytes) : String(bytes),
    String(bytes),
    ro ? '1' : '0',
    type,
    mountpoints.map(escapeName).join(','),
  ];
  for (const [index, child] of children.entries()) {
    const last = index === children.length - 1;
    yield* rowsOf(child, `${trunk}${last ? '└─' : '├─'}`, `${trunk}${last ? '  ' : '│ '}`, human);
  }
}
