/** Trees for walks: the machine's own /usr where it is large enough, and generated ones. */
import { chmodSync, existsSync, mkdirSync, mkdtempSync, opendirSync, renameSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { setImmediate } from 'node:timers/promises';

export interface BenchTree {
  readonly path: string;
  /** Entries below it. */
  readonly entries: number;
  readonly close: () => void;
}

const FILES_PER_DIRECTORY = 100;
const DIRECTORIES_PER_DIRECTORY = 20;

/**
 * A tree of so many entries, a twentieth of a percent of which are called `*.wanted`; readable by everybody. A large one takes minutes,
 * and a client beside it must see meanwhile that connections were closed.
 */
async function makeTree(entries: number): Promise<BenchTree> {
  const path = mkdtempSync(join(tmpdir(), 'steward-bench-tree-'));
  const made = await fill(path, entries);
  return { path, entries: made, close: () => rmSync(path, { recursive: true, force: true }) };
}

/** Large trees of this run, by their entries: several lines walk the same one. */
const shared = new Map<number, Promise<BenchTree>>();

/**
 * As `makeTree`, but made once for all lines of a run and removed with `dropSharedTrees`; below the directory that TREES names it stays
 * for the next run.
 */
export function sharedTree(entries: number): Promise<Pick<BenchTree, 'path' | 'entries'>> {
  const found = shared.get(entries);
  if (found !== undefined) return found;
  const kept = process.env['TREES'];
  const tree = kept === undefined ? makeTree(entries) : keptTree(join(kept, `steward-bench-${entries}`), entries);
  shared.set(entries, tree);
  return tree;
}

/** Removes what `sharedTree` has made, but for trees that are kept. */
export async function dropSharedTrees(): Promise<void> {
  for (const tree of shared.values()) (await tree).close();
  shared.clear();
}

/** A tree has its name only when it is complete. */
async function keptTree(path: string, entries: number): Promise<BenchTree> {
  if (!existsSync(path)) {
    const making = `${path}.making`;
    rmSync(making, { recursive: true, force: true });
    mkdirSync(making, { recursive: true });
    await fill(making, entries);
    renameSync(making, path);
  }
  return { path, entries, close: () => undefined };
}

/** Fills an empty directory; resolves to how many entries it has then. */
async function fill(path: string, entries: number): Promise<number> {
  chmodSync(path, 0o755);
  const waiting = [path];
  let made = 0;
  for (let directory = waiting.shift(); directory !== undefined && made < entries; directory = waiting.shift()) {
    for (let file = 0; file < FILES_PER_DIRECTORY && made < entries; file++) {
      writeFileSync(join(directory, `file-${made}${made % 2000 === 0 ? '.wanted' : '.data'}`), '');
      made++;
    }
    for (let child = 0; child < DIRECTORIES_PER_DIRECTORY && made < entries; child++) {
      const name = join(directory, `directory-${child}`);
      mkdirSync(name);
      waiting.push(name);
      made++;
    }
    await setImmediate();
  }
  return made;
}

/** One directory of so many files. */
export function makeDirectory(entries: number): BenchTree {
  const path = mkdtempSync(join(tmpdir(), 'steward-bench-directory-'));
  chmodSync(path, 0o755);
  for (let index = 0; index < entries; index++) writeFileSync(join(path, `entry-${index}.txt`), '');
  return { path, entries, close: () => rmSync(path, { recursive: true, force: true }) };
}

/** Entries below a directory, links not followed; what cannot be read has none. */
function countBelow(path: string): number {
  let count = 0;
  const waiting = [path];
  for (let directory = waiting.pop(); directory !== undefined; directory = waiting.pop()) {
    const handle = opendirSync(directory);
    for (let entry = handle.readSync(); entry !== null; entry = handle.readSync()) {
      count++;
      if (entry.isDirectory()) waiting.push(join(directory, entry.name));
    }
    handle.closeSync();
  }
  return count;
}

/** /usr where it has so many entries, else a generated tree. */
export async function largeTree(entries: number): Promise<BenchTree> {
  const found = countBelow('/usr');
  return found >= entries ? { path: '/usr', entries: found, close: () => undefined } : makeTree(entries);
}
