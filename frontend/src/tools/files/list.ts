/** Catalogue entry: words and text of files/list. */
import { filesList } from '@steward/shared/ops/files/list.ts';
import { listingLines } from '../../render/listing.ts';
import { joinLines } from '../../render/stream.ts';
import { tool } from '../tool.ts';

export const filesListTool = tool({
  name: 'files/list',
  title: 'List directory',
  description:
    'List one directory, not recursive, like ls -l. Symlinks are shown, never followed. No entry cap. Text or JSON. To search a tree use files/find.',
  op: filesList,
  formats: true,
  human: true,
  text: (outcome, { args, human }) => {
    const options = { short: args.long === false, human, now: Date.now() };
    return { text: joinLines(listingLines(outcome.result.blocks_kib, () => outcome.records(), options)) };
  },
});
