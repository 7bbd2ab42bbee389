/**
 * The search of files/find: goes through the tree in no particular order, looks only at entries whose names match, and collects what
 * it finds as sort keys. What may not be seen is passed over without a word.
 */
import type { BigIntStats } from 'node:fs';
import { isWithin } from '../../host/clean.ts';
import { glanceBelow, inNumbers, type Glance } from '../../host/descriptors.ts';
import { readDirectory, readNames, sortOut } from '../../host/directory.ts';
import { LeafDirectories } from '../../host/leaf-directories.ts';
import { findType, isType, S_IFLNK, S_IFREG, type FindType } from '../../host/modes.ts';
import { areAscii, placeBelow, type Place } from '../../host/names.ts';
import type { PendingNames } from '../../host/pending-names.ts';
import { scanShared, scanTree, type ScanOptions, type Scanned, type ScanTeam, type Visitor } from '../../host/scan.ts';
import type { Sorter } from '../../host/sorting.ts';
import type { OpContext } from '../operation.ts';
import { entriesLookedAt } from '../progress.ts';
import type { FindFilters } from './find-filters.ts';

/** Not searched from `/`: what is there is made up by the kernel or gone at the next start. */
const SKIPPED = ['/proc', '/sys', '/dev', '/run'];
/** Ends the path in a key: no path contains it, and it sorts before every other byte. */
const END = '\0';
/** Bytes; what is nested deeper has no usable path (PATH_MAX is 4096) and is not told. */
const LONGEST = 60_000;

export interface SearchOptions extends ScanOptions {
  readonly stat: BigIntStats;
  readonly filters: FindFilters;
  /** 1 for the direct children of the start. */
  readonly maxDepth: number;
  readonly context: Pick<OpContext, 'signal' | 'progress'>;
  /** Gets a key for everything that matches; byte order of the keys is that of the paths. */
  readonly found: Sorter;
}

export interface Found {
  /** Byte string. */
  readonly path: string;
  readonly type: FindType;
  /** Bytes. */
  readonly size: number;
}

/** What a key says. */
export function parseFound(key: string): Found {
  const end = key.indexOf(END);
  return { path: key.slice(0, end), type: key.charAt(end + 1) as FindType, size: Number(key.slice(end + 2)) };
}

/**
 * Searches the start and everything below it, with a team also what the others leave to do. Throws the system error when the start
 * is a directory that cannot be read.
 */
export async function search(options: SearchOptions, team: ScanTeam | undefined): Promise<void> {
  const walk = new Search(options);
  const { path, realPath, stat } = options;
  // the start has the last name of its path, and `/` is called so
  walk.judge({ path, realPath }, path.slice(path.lastIndexOf('/') + 1) || '/', stat);
  if (!stat.isDirectory()) return;
  if (team === undefined) scanTree(options, walk);
  else await scanShared(options, walk, team, []);
}

/** Searches what a team gives, beginning with `first`. */
export function searchGiven(options: SearchOptions, team: ScanTeam, first: readonly string[] | undefined): Promise<void> {
  return scanShared(options, new Search(options), team, first);
}

class Search implements Visitor<undefined> {
  readonly #options: SearchOptions;
  readonly #fromRoot: boolean;
  readonly #count: (entries: number) => void;
  readonly #leaves = new LeafDirectories();

  constructor(options: SearchOptions) {
    this.#options = options;
    this.#count = entriesLookedAt(options.context);
    this.#fromRoot = options.realPath === '/';
  }

  enters({ realPath }: Scanned): boolean {
    return !this.#isSkipped(realPath);
  }

  read(directory: Scanned, pending: Pick<PendingNames, 'add'>): undefined {
    const { filters, maxDepth, guard } = this.#options;
    const goesOn = directory.depth + 1 < maxDepth;
    const isNear = guard.isNear(directory);
    if (this.#leaves.has(directory.at, directory.stat)) {
      // the start is read all the same, to know that it can be
      if (filters.directories !== 'only' || directory.depth === 0) this.#readNames(directory, isNear);
      return;
    }
    if (!goesOn && filters.directories === undefined) {
      this.#readNames(directory, isNear);
      return;
    }
    for (const entries of readDirectory(directory.at, directory.stat.size)) {
      this.#count(entries.length);
      this.#lookAt(directory, sortOut(entries, filters.directories, goesOn ? pending : undefined), isNear);
    }
  }

  /** Reads a directory in which nobody needs to know of what kind each entry is. */
  #readNames(directory: Scanned, isNear: boolean): void {
    for (const names of readNames(directory.at, directory.stat.size)) {
      this.#count(names.length);
      this.#lookAt(directory, names, isNear);
    }
  }

  /** Looks at those entries whose names match. */
  #lookAt(directory: Scanned, entries: readonly string[], isNear: boolean): void {
    const { names: matching, stat: matches } = this.#options.filters;
    const names = matching === undefined ? entries : matching(entries);
    if (names.length === 0) return;
    const { prefix } = directory;
    const plain = areAscii(names);
    for (let at = 0; at < names.length; at++) {
      const name = names[at] ?? '';
      const stat = glanceBelow(prefix, name, plain);
      if (stat !== undefined && matches(stat)) this.#found(directory, name, stat, isNear);
    }
  }

  #found(directory: Scanned, name: string, stat: Glance, isNear: boolean): void {
    const place = placeBelow(directory, name);
    if (this.#isSkipped(place.realPath)) return;
    if ((isNear || !isAlone(stat, directory)) && this.#isProtected(place, stat)) return;
    this.#tell(place.path, stat);
  }

  /** Judges the start, which is told as any other. */
  judge(start: Place, name: string, status: BigIntStats): void {
    const { filters } = this.#options;
    const stat = inNumbers(status);
    if (filters.names?.([name]).length === 0 || !filters.stat(stat) || this.#isSkipped(start.realPath)) return;
    if (!this.#isProtected(start, stat)) this.#tell(start.path, stat);
  }

  #isProtected({ realPath }: Place, stat: Glance): boolean {
    return this.#options.guard.isProtected({ realPath, stat }, 'read');
  }

  #tell(path: string, stat: Glance): void {
    if (path.length > LONGEST) return;
    // joined, the key is one string at once: sorting would make it of its parts, and need twice the room
    this.#options.found.add([path, END, findType(stat.mode), stat.size].join(''));
  }

  #isSkipped(realPath: string): boolean {
    return this.#fromRoot && SKIPPED.some((skipped) => isWithin(realPath, skipped));
  }
}

/** Whether an entry is to be seen nowhere but in its directory, as the guard wants to know of it. */
function isAlone({ mode, nlink, dev }: Glance, directory: Scanned): boolean {
  return nlink === 1 && (isType(mode, S_IFREG) || isType(mode, S_IFLNK)) && dev === directory.stat.dev;
}
