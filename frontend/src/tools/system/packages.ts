/** Catalogue entry: words and table of system/packages. */
import type { InstalledPackage } from '@steward/shared/host/packages/package.ts';
import { systemPackages } from '@steward/shared/ops/system/packages.ts';
import { preceded } from '../../render/batches.ts';
import type { Cells } from '../../render/columns.ts';
import { escapeName } from '../../render/names.ts';
import { tableText } from '../../render/record-table.ts';
import { joinLines } from '../../render/stream.ts';
import { tool } from '../tool.ts';

type Args = Parameters<typeof systemPackages.run>[0];
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
  ...tableText<Args, Summary, InstalledPackage>(
    () => ({ header: HEADER, cells: cellsOf }),
    ({ count, database }, lines) => {
      const head = `${String(count)} packages installed (${database})`;
      return { text: joinLines(preceded([head], lines())) };
    },
  ),
});

function cellsOf({ name, version, architecture }: InstalledPackage): Cells {
  return [escapeName(name), escapeName(version), escapeName(architecture)];
}
