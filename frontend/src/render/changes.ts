/** What chmod and chown did, one entry or a whole tree of any size, in the same words for both. */
import type { Rendered } from '../tools/tool.ts';
import { escapeName } from './names.ts';
import { inPieces } from './stream.ts';

const DRY_RUN = 'Dry run: ';

/** One entry of the tree. */
export interface ChangedEntry {
  readonly path: string;
  readonly changed: boolean;
  /** Reason of the failure. */
  readonly error?: string;
  readonly skipped?: 'symlink' | 'protected';
}

export interface ChangeCounts {
  readonly changed: number;
  readonly unchanged: number;
  readonly symlinks: number;
  readonly protected: number;
  readonly errors: number;
}

export interface ChangeOptions<Entry> {
  readonly recursive: boolean;
  readonly dryRun: boolean;
  /** One change or unchanged entry in words, without its path. */
  readonly describe: (entry: Entry) => string;
}

/** Renders the outcome of a mode or owner change; it is a failure only if every entry failed. `entries` may be called twice. */
export function renderChanges<Entry extends ChangedEntry>(
  counts: ChangeCounts,
  entries: () => AsyncIterable<Entry>,
  options: ChangeOptions<Entry>,
): Rendered {
  const text = inPieces(options.recursive ? treeText(counts, entries, options) : entryLines(entries(), options, () => true));
  const allFailed = counts.errors > 0 && counts.changed + counts.unchanged + counts.symlinks + counts.protected === 0;
  return allFailed ? { text, isError: true } : { text };
}

/** Changes and failures line by line, then the counts. */
async function* treeText<Entry extends ChangedEntry>(
  counts: ChangeCounts,
  entries: () => AsyncIterable<Entry>,
  options: ChangeOptions<Entry>,
): AsyncGenerator<string> {
  let before = options.dryRun ? DRY_RUN : '';
  for await (const line of entryLines(entries(), { ...options, dryRun: false }, isTold)) {
    yield before + line;
    before = '\n';
  }
  yield `${before}${options.dryRun ? 'would change' : 'changed'} ${String(counts.changed)}, unchanged ${String(counts.unchanged)}`;
  if (counts.symlinks > 0) yield* skippedLinks(counts.symlinks, entries());
  if (counts.protected > 0) yield `, skipped ${String(counts.protected)} protected`;
  if (counts.errors > 0) yield `, ${String(counts.errors)} error(s)`;
}

function isTold(entry: ChangedEntry): boolean {
  return entry.changed || entry.error !== undefined;
}

async function* entryLines<Entry extends ChangedEntry>(
  entries: AsyncIterable<Entry>,
  { describe, dryRun }: ChangeOptions<Entry>,
  told: (entry: Entry) => boolean,
): AsyncGenerator<string> {
  for await (const entry of entries) {
    const said = entry.error === undefined ? describe(entry) : escapeName(entry.error); // reasons may name the path again
    if (told(entry)) yield `${dryRun ? DRY_RUN : ''}${escapeName(entry.path)}: ${said}`;
  }
}

async function* skippedLinks(count: number, entries: AsyncIterable<ChangedEntry>): AsyncGenerator<string> {
  let before = `, skipped ${String(count)} symlink(s) (never followed): `;
  for await (const entry of entries) {
    if (entry.skipped !== 'symlink') continue;
    yield before + escapeName(entry.path);
    before = ', ';
  }
}
