/** Trees for walks: the machine's own /usr where it is large enough, and generated ones. */
import { chmodSync, mkdirSync, mkdtempSync, opendirSync, rmSync, writeFileSync } from 'node:fs';
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
export async function makeTree(entries: number): Promise<BenchTree> {
  const path = mkdtempSync(join(tmpdir(), 'steward-bench-tree-'));
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
  return { path, entries: made, close: () => rmSync(path, { recursive: true, force: true }) };
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
