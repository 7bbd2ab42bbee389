/** Directory listings in the layout of `ls -l`, of any length. */
import { batchesOf, inBatches, type Batched } from './batches.ts';
import type { Cells, Layout } from './columns.ts';
import type { Columns } from './record-table.ts';
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
  /** Sizes as `ls -h`. */
  readonly human: boolean;
  /** For the choice between time of day and year, in milliseconds since 1970. */
  readonly now: number;
}

const EMPTY = 'Directory is empty.';
const LAYOUT: Layout = { gap: ' ', right: [false, true, false, false, true, true], endsWithName: true };

/** Columns of a long listing. */
export function listingColumns(options: ListingOptions): Columns<ListedEntry> {
  return { header: [], cells: cellsWith(options), layout: LAYOUT };
}

/** All of a long listing, when `lines` are those of its entries. */
export function longListing(blocksKib: number, lines: Batched<string>): Batched<string> {
  return inBatches(() => longLines(blocksKib, lines));
}

/** Names alone. */
export function shortListing(entries: () => AsyncIterable<ListedEntry>): Batched<string> {
  return inBatches(() => shortLines(entries()));
}

async function* longLines(blocksKib: number, lines: Batched<string>): AsyncGenerator<readonly string[]> {
  let empty = true;
  for await (const batch of lines.batches()) {
    if (batch.length === 0) continue;
    if (empty) yield [`total ${String(blocksKib)}`];
    empty = false;
    yield batch;
  }
  if (empty) yield [EMPTY];
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
  return (entry) => {
    const { type, mode, size, device } = entry;
    const name = type === 'symlink' ? `${escapeName(entry.name)} -> ${escapeName(entry.target)}` : escapeName(entry.name);
    if (type === '?') return [mode, '?', '?', '?', '?', '?', name];
    const extent = device ?? (human ? sizeAsLs(size) : `${size}`);
    return [mode, `${entry.links}`, account(entry.owner), account(entry.group), extent, date(entry.modified), name];
  };
}
