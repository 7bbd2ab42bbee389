/** Catalogue entry: words and text of files/find. */
import { filesFind, type FoundRecord } from '@steward/shared/ops/files/find.ts';
import { escapeName } from '../../render/names.ts';
import { sizeWithUnit } from '../../render/sizes.ts';
import { joinLines } from '../../render/stream.ts';
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
  text: (outcome, { human }) => ({ text: joinLines(lines(outcome.records(), human ? sizeWithUnit : String)) }),
});

async function* lines(found: AsyncIterable<FoundRecord>, sizeText: (bytes: number) => string): AsyncGenerator<string> {
  for await (const { path, size, type } of found) {
    yield `${(type === 'd' ? '' : sizeText(size)).padEnd(SIZE_WIDTH)} ${escapeName(path)}`;
  }
}
