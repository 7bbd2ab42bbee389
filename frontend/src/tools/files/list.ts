/** Catalogue entry: words and text of files/list. */
import { filesList, type ListRecord, type ListSummary } from '@steward/shared/ops/files/list.ts';
import { Listing } from '../../render/listing.ts';
import { joinLines } from '../../render/stream.ts';
import { tool, type Follower, type RenderOptions } from '../tool.ts';

export const filesListTool = tool({
  name: 'files/list',
  title: 'List directory',
  description:
    'List one directory, not recursive, like ls -l. Symlinks are shown, never followed. No entry cap. Text or JSON. To search a tree use files/find.',
  op: filesList,
  formats: true,
  human: true,
  text: (outcome, options) => follow(options).text(outcome),
  follow,
});

function follow({ args, human }: RenderOptions<{ readonly long?: boolean }>): Follower<ListSummary, ListRecord> {
  const listing = new Listing({ short: args.long === false, human, now: Date.now() });
  return {
    see: (records) => listing.table?.see(records),
    text: (outcome) => ({ text: joinLines(listing.lines(outcome.result.blocks_kib, () => outcome.records())) }),
  };
}
