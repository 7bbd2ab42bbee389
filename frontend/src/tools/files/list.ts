/** Catalogue entry: words and text of files/list. */
import { filesList, type ListRecord, type ListSummary } from '@steward/shared/ops/files/list.ts';
import { listingColumns, longListing, shortListing } from '../../render/listing.ts';
import { tableText } from '../../render/record-table.ts';
import { joinLines } from '../../render/stream.ts';
import { tool, type RenderOptions } from '../tool.ts';

type Args = Parameters<typeof filesList.run>[0];

const isShort = ({ args }: RenderOptions<Args>): boolean => args.long === false;

const long = tableText<Args, ListSummary, ListRecord>(
  ({ human }) => listingColumns({ human, now: Date.now() }),
  ({ blocks_kib: blocks }, lines) => ({ text: joinLines(longListing(blocks, lines())) }),
);

export const filesListTool = tool({
  name: 'files/list',
  title: 'List directory',
  description:
    'List one directory, not recursive, like ls -l. Symlinks are shown, never followed. No entry cap. Text or JSON. To search a tree use files/find.',
  op: filesList,
  formats: true,
  human: true,
  text: (outcome, options) =>
    isShort(options) ? { text: joinLines(shortListing(() => outcome.records())) } : long.text(outcome, options),
  follow: (options) => (isShort(options) ? undefined : long.follow(options)),
});
