/**
 * Remembers by device and inode the objects in a few protected directories, so that they are recognised under any other path. Looked
 * up again after a short while, because configuration files are replaced and logs get new segments; a directory that was not changed
 * is not read again, or a log of years would hold up every call.
 */
import { lstatSync, readdirSync, type BigIntStats } from 'node:fs';
import type { GuardedStatus } from './guard.ts';

/** Levels below a protected directory whose objects are remembered; deeper ones are recognised by path alone. */
const DEPTH = 2;
/** Objects remembered of one directory; enough for years of log segments. */
const MAX_OBJECTS = 16_384;
/** A change so soon after another may leave the directory's time as it is, on file systems that count in seconds. Nanoseconds. */
const UNSETTLED_NS = 2_000_000_000n;

/** What a directory held when it was last read. */
interface Listing {
  readonly directory: BigIntStats;
  /** It had been left alone for a while then: its time tells whether it still holds the same. */
  readonly settled: boolean;
  readonly objects: ReadonlySet<string>;
  readonly inodes: readonly bigint[];
  readonly directories: readonly string[];
}

export class KnownObjects {
  readonly #trees: () => readonly string[];
  #listings = new Map<string, Listing>();
  #roots = new Set<string>();
  /** Inode numbers of all of them: almost every object that is asked about has another. */
  #inodes = new Set<bigint>();

  /** `trees` are asked for at each look-up. */
  constructor(trees: () => readonly string[]) {
    this.#trees = trees;
  }

  /** True when the object was one of those in the directories, or one of the directories, at the last look. */
  has(stat: GuardedStatus): boolean {
    if (!this.#inodes.has(BigInt(stat.ino))) return false;
    const key = keyOf(stat);
    if (this.#roots.has(key)) return true;
    for (const { objects } of this.#listings.values()) if (objects.has(key)) return true;
    return false;
  }

  /** Looks the objects up again. */
  look(): void {
    const before = this.#listings;
    this.#listings = new Map();
    this.#roots = new Set();
    this.#inodes = new Set();
    for (const tree of this.#trees()) {
      const stat = statOf(tree);
      if (stat === undefined || stat.isSymbolicLink()) continue;
      this.#roots.add(keyOf(stat));
      this.#inodes.add(stat.ino);
      if (stat.isDirectory()) this.#enter(tree, stat, DEPTH, before);
    }
  }

  #enter(path: string, stat: BigIntStats, depth: number, before: ReadonlyMap<string, Listing>): void {
    const known = before.get(path);
    const listing = known !== undefined && isSame(known, stat) ? known : list(path, stat);
    this.#listings.set(path, listing);
    for (const inode of listing.inodes) this.#inodes.add(inode);
    if (depth === 1) return;
    for (const name of listing.directories) {
      const child = statOf(`${path}/${name}`);
      if (child?.isDirectory() === true) this.#enter(`${path}/${name}`, child, depth - 1, before);
    }
  }
}

function isSame({ directory, settled }: Listing, now: BigIntStats): boolean {
  return settled && directory.ino === now.ino && directory.dev === now.dev && directory.mtimeNs === now.mtimeNs;
}

function list(path: string, directory: BigIntStats): Listing {
  const settled = BigInt(Date.now()) * 1_000_000n - directory.mtimeNs > UNSETTLED_NS;
  const objects = new Set<string>();
  const inodes: bigint[] = [];
  const directories: string[] = [];
  for (const name of listNames(path).slice(0, MAX_OBJECTS)) {
    const stat = statOf(`${path}/${name}`);
    if (stat === undefined || stat.isSymbolicLink()) continue;
    objects.add(keyOf(stat));
    inodes.push(stat.ino);
    if (stat.isDirectory()) directories.push(name);
  }
  return { directory, settled, objects, inodes, directories };
}

function keyOf({ dev, ino }: GuardedStatus): string {
  return `${dev}:${ino}`;
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
