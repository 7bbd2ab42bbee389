/** Catalogue entry: words and text of files/find. */
import { filesFind, type FoundRecord } from '@steward/shared/ops/files/find.ts';
import { escapeName } from '../../render/names.ts';
import { lineText } from '../../render/record-lines.ts';
import { sizeWithUnit } from '../../render/sizes.ts';
import { tool } from '../tool.ts';

const SIZE_WIDTH = 10;

export const filesFindTool = tool({
  name: 'files/find',
  title: 'Find files',
  description:
    'Search a tree by name glob, type, age and size (all ANDed), never following symlinks. From / it skips /proc /sys /dev /run. No result cap; sorted by path. Text or JSON.',
  op: filesFind,
  formats: true,
  human: true,
  ...lineText<Parameters<typeof filesFind.run>[0], Record<string, never>, FoundRecord>(({ human }) => {
    const sizeText = human ? sizeWithUnit : String;
    return (found) => line(found, sizeText);
  }),
});

function line({ path, size, type }: FoundRecord, sizeText: (bytes: number) => string): string {
  return `${(type === 'd' ? '' : sizeText(size)).padEnd(SIZE_WIDTH)} ${escapeName(path)}`;
}
