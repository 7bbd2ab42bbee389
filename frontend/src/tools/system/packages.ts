/** Catalogue entry: words and table of system/packages. */
import type { InstalledPackage } from '@steward/shared/host/packages/package.ts';
import { systemPackages } from '@steward/shared/ops/system/packages.ts';
import { preceded } from '../../render/batches.ts';
import type { Cells } from '../../render/columns.ts';
import { escapeName } from '../../render/names.ts';
import { RecordTable } from '../../render/record-table.ts';
import { joinLines } from '../../render/stream.ts';
import { tool, type Follower } from '../tool.ts';

type Summary = Awaited<ReturnType<typeof systemPackages.run>>;

const HEADER = ['NAME', 'VERSION', 'ARCH'];

export const packagesTool = tool({
  name: 'system/packages',
  title: 'List installed packages',
  description:
    'List installed packages from the dpkg or apk database, optional exact or glob name. No cap. Text or JSON. rpm-based hosts are not supported.',
  op: systemPackages,
  formats: true,
  human: false,
  text: (outcome) => follow().text(outcome),
  follow,
});

function follow(): Follower<Summary, InstalledPackage> {
  const table = new RecordTable({ header: HEADER, cells: cellsOf });
  return {
    see: (records) => table.see(records),
    text: (outcome) => {
      const { count, database } = outcome.result;
      const head = `${String(count)} packages installed (${database})`;
      return {
        text: joinLines(
          preceded(
            [head],
            table.lines(() => outcome.records()),
          ),
        ),
      };
    },
  };
}

function cellsOf({ name, version, architecture }: InstalledPackage): Cells {
  return [escapeName(name), escapeName(version), escapeName(architecture)];
}
