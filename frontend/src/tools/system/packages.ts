/** Catalogue entry: words and table of system/packages. */
import type { InstalledPackage } from '@steward/shared/host/packages/package.ts';
import { systemPackages } from '@steward/shared/ops/system/packages.ts';
import { mapped, preceded } from '../../render/batches.ts';
import { tableLines, type Cells } from '../../render/columns.ts';
import { escapeName } from '../../render/names.ts';
import { joinLines } from '../../render/stream.ts';
import { tool } from '../tool.ts';

const HEADER = ['NAME', 'VERSION', 'ARCH'];

export const packagesTool = tool({
  name: 'system/packages',
  title: 'List installed packages',
  description:
    'List installed packages from the dpkg or apk database, optional exact or glob name. No cap. Text or JSON. rpm-based hosts are not supported.',
  op: systemPackages,
  formats: true,
  human: false,
  text: (outcome) => {
    const { count, database } = outcome.result;
    const rows = (): AsyncIterable<Cells> => mapped(outcome.records(), cellsOf);
    const head = `${String(count)} packages installed (${database})`;
    return { text: joinLines(preceded([head], tableLines(HEADER, rows))) };
  },
});

function cellsOf({ name, version, architecture }: InstalledPackage): Cells {
  return [escapeName(name), escapeName(version), escapeName(architecture)];
}
