/** Directory listings in the layout of `ls -l`, of any length. */
import { batchesOf, inBatches, type Batched } from './batches.ts';
import type { Cells, Layout } from './columns.ts';
import { RecordTable } from './record-table.ts';
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
const LAYOUT: Layout = { gap: ' ', right: [false, true, false, false, true, true], endsWithName: true };

/** Makes the lines of a listing; entries may be shown to `table` while they come. */
export class Listing {
  readonly table: RecordTable<ListedEntry> | undefined;

  constructor(options: ListingOptions) {
    this.table = options.short ? undefined : new RecordTable({ header: [], cells: cellsWith(options), layout: LAYOUT });
  }

  /** `entries` is called as often as they are needed and must give the same entries each time. */
  lines(blocksKib: number, entries: () => AsyncIterable<ListedEntry>): Batched<string> {
    const { table } = this;
    return inBatches(() => (table === undefined ? shortLines(entries()) : longLines(blocksKib, table.lines(entries))));
  }
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
    const extent = device ?? (human ? sizeAsLs(size) : String(size));
    return [mode, String(entry.links), account(entry.owner), account(entry.group), extent, date(entry.modified), name];
  };
}
