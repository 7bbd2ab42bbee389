/** Directory listings in the layout of `ls -l`, of any length. */
import { batchesOf, inBatches, mapped, type Batched } from './batches.ts';
import { formatRow, measureAll, type Cells, type Layout } from './columns.ts';
import { remembering } from '@steward/shared/remember.ts';
import { listingDate } from './dates.ts';
import { escapeName } from './names.ts';
import { sizeAsLs } from './sizes.ts';

/** What a listing shows of an entry. */
export interface ListedEntry {
  readonly name: string;
  /** `?` for an entry that could not be examined; then only name and mode hold. */
  readonly type: string;
  readonly mode: string;
  readonly links: number;
  readonly owner: string;
  readonly group: string;
  readonly size: number;
  /** Host local time `YYYY-MM-DD HH:MM:SS`. */
  readonly modified: string;
  readonly is_dir: boolean;
  /** Of a symbolic link, else empty. */
  readonly target: string;
  /** `major, minor` of a device node. */
  readonly device?: string;
}

export interface ListingOptions {
  /** Names only. */
  readonly short: boolean;
  /** Sizes as `ls -h`. */
  readonly human: boolean;
  /** For the choice between time of day and year, in milliseconds since 1970. */
  readonly now: number;
}

const EMPTY = 'Directory is empty.';
const LAYOUT: Layout = { gap: ' ', right: [false, true, false, false, true, true] };

/** The lines of a listing. `entries` is called twice and must give the same entries both times. */
export function listingLines(
  blocksKib: number,
  entries: () => AsyncIterable<ListedEntry>,
  options: ListingOptions,
): Batched<string> {
  return inBatches(() => (options.short ? shortLines(entries()) : longLines(blocksKib, entries, options)));
}

async function* longLines(
  blocksKib: number,
  entries: () => AsyncIterable<ListedEntry>,
  options: ListingOptions,
): AsyncGenerator<readonly string[]> {
  const cellsOf = cellsWith(options);
  const widths = await measureAll(mapped(entries(), cellsOf));
  if (widths.length === 0) {
    yield [EMPTY];
    return;
  }
  yield [`total ${String(blocksKib)}`];
  // The name is no cell: blanks at its end belong to it.
  const line = (entry: ListedEntry): string => `${formatRow(cellsOf(entry), widths, LAYOUT)} ${nameOf(entry)}`;
  for await (const batch of batchesOf(entries())) yield batch.map(line);
}

async function* shortLines(entries: AsyncIterable<ListedEntry>): AsyncGenerator<readonly string[]> {
  let empty = true;
  for await (const batch of batchesOf(entries)) {
    yield batch.map((entry) => escapeName(entry.name) + (entry.is_dir ? '/' : ''));
    empty &&= batch.length === 0;
  }
  if (empty) yield [EMPTY];
}

/** Owners and times are few, or at least alike in turn. */
function cellsWith({ human, now }: ListingOptions): (entry: ListedEntry) => Cells {
  const account = remembering(escapeName);
  const date = remembering((modified: string) => listingDate(modified, now));
  return ({ type, mode, links, owner, group, size, device, modified }) => {
    if (type === '?') return [mode, '?', '?', '?', '?', '?'];
    const extent = device ?? (human ? sizeAsLs(size) : String(size));
    return [mode, String(links), account(owner), account(group), extent, date(modified)];
  };
}

function nameOf(entry: ListedEntry): string {
  return escapeName(entry.name) + (entry.type === 'symlink' ? ` -> ${escapeName(entry.target)}` : '');
}
