/** Directory listings in the layout of `ls -l`, of any length. */
import { batchesOf, inBatches, mapped, type Batched } from './batches.ts';
import { formatRow, measureAll, type Cells, type Layout } from './columns.ts';
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
  const widths = await measureAll(mapped(entries(), (entry) => cellsOf(entry, options)));
  if (widths.length === 0) {
    yield [EMPTY];
    return;
  }
  yield [`total ${String(blocksKib)}`];
  // The name is no cell: blanks at its end belong to it.
  const line = (entry: ListedEntry): string => `${formatRow(cellsOf(entry, options), widths, LAYOUT)} ${nameOf(entry)}`;
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

function cellsOf(entry: ListedEntry, { human, now }: ListingOptions): Cells {
  if (entry.type === '?') return [entry.mode, '?', '?', '?', '?', '?'];
  const size = entry.device ?? (human ? sizeAsLs(entry.size) : String(entry.size));
  const { mode, links, owner, group, modified } = entry;
  return [mode, String(links), escapeName(owner), escapeName(group), size, listingDate(modified, now)];
}

function nameOf(entry: ListedEntry): string {
  return escapeName(entry.name) + (entry.type === 'symlink' ? ` -> ${escapeName(entry.target)}` : '');
}
