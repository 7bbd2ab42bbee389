/**
 * Remembers by device and inode the objects in a few protected directories, so that they are recognised under any other path.
 * Looked up again after a short while, because configuration files are replaced and logs get new segments.
 */
import { lstatSync, readdirSync, type BigIntStats } from 'node:fs';

/** Milliseconds for which a look-up holds. */
const FRESH_MS = 250;
/** Levels below a protected directory whose objects are remembered; deeper ones are recognised by path alone. */
const DEPTH = 2;
/** Objects remembered per list; enough for years of log segments. */
const MAX_OBJECTS = 16_384;

export class KnownObjects {
  readonly #trees: readonly string[];
  /** Inode to the devices on which it is known. */
  #inodes = new Map<bigint, bigint[]>();
  #count = 0;
  #checked = -Infinity;

  constructor(trees: readonly string[]) {
    this.#trees = trees;
  }

  /** True when the object is one of those in the directories, or one of the directories. */
  has(stat: BigIntStats): boolean {
    if (this.#trees.length === 0) return false;
    const now = performance.now();
    if (now - this.#checked > FRESH_MS) {
      this.#collect();
      this.#checked = now;
    }
    return this.#inodes.get(stat.ino)?.includes(stat.dev) ?? false;
  }

  #collect(): void {
    this.#inodes = new Map();
    this.#count = 0;
    for (const tree of this.#trees) this.#add(tree, DEPTH);
  }

  #add(path: string, depth: number): void {
    const stat = statOf(path);
    if (stat === undefined || stat.isSymbolicLink() || this.#count >= MAX_OBJECTS) return;
    this.#count++;
    this.#inodes.set(stat.ino, [...(this.#inodes.get(stat.ino) ?? []), stat.dev]);
    if (depth === 0 || !stat.isDirectory()) return;
    for (const name of listNames(path)) this.#add(`${path}/${name}`, depth - 1);
  }
}

/** What this process may not examine (a key below a directory that it cannot enter) it cannot open either. */
function statOf(path: string): BigIntStats | undefined {
  try {
    return lstatSync(path, { bigint: true });
  } catch {
    return undefined;
  }
}

/** What cannot be listed cannot be opened by this process either, and is known by its path alone. */
function listNames(path: string): string[] {
  try {
    return readdirSync(path);
  } catch {
    return [];
  }
}
