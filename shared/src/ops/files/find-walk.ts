/**
 * The search of files/find: goes through the tree in no particular order, looks only at entries whose names match, and collects what
 * it finds as sort keys. What may not be seen is passed over without a word.
 */
import type { BigIntStats } from 'node:fs';
import { checkAbort } from '../../abort.ts';
import { isWithin } from '../../host/clean.ts';
import { statBelow } from '../../host/descriptors.ts';
import { readDirectory } from '../../host/directory.ts';
import { findType, type FindType } from '../../host/modes.ts';
import { joinPath, textOf } from '../../host/names.ts';
import { scanShared, scanTree, type ScanOptions, type Scanned, type ScanTeam, type Visitor } from '../../host/scan.ts';
import type { Sorter } from '../../host/sorting.ts';
import type { OpContext } from '../operation.ts';
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
  #looked = 0;

  constructor(options: SearchOptions) {
    this.#options = options;
    this.#fromRoot = options.realPath === '/';
  }

  enters({ realPath }: Scanned): boolean {
    return !this.#isSkipped(realPath);
  }

  read(directory: Scanned, fd: number, enter: (name: string) => void): undefined {
    const { filters, maxDepth, context } = this.#options;
    const goesOn = directory.depth + 1 < maxDepth;
    for (const entries of readDirectory(fd, directory.stat.size)) {
      checkAbort(context.signal);
      this.#looked += entries.length;
      context.progress?.(this.#looked, `${this.#looked} entries looked at`);
      for (const entry of entries) {
        const isDirectory = entry.isDirectory();
        if (goesOn && isDirectory) enter(entry.name);
        if (filters.directories === (isDirectory ? 'never' : 'only')) continue;
        if (filters.name(entry.name)) this.#lookAt(directory, entry.name);
      }
    }
  }

  #lookAt(directory: Scanned, name: string): void {
    const stat = statBelow(directory.prefix, name);
    if (stat === undefined || !this.#options.filters.stat(stat)) return;
    const realPath = joinPath(directory.realPath, textOf(name));
    if (!this.#isSkipped(realPath)) this.#tell({ path: joinPath(directory.path, name), realPath }, stat);
  }

  /** Judges the start, which is told as any other. */
  judge(start: Pick<Scanned, 'path' | 'realPath'>, name: string, stat: BigIntStats): void {
    const { filters } = this.#options;
    if (filters.name(name) && filters.stat(stat) && !this.#isSkipped(start.realPath)) this.#tell(start, stat);
  }

  #tell({ path, realPath }: Pick<Scanned, 'path' | 'realPath'>, stat: BigIntStats): void {
    const { guard, found } = this.#options;
    if (path.length > LONGEST || guard.isProtected({ realPath, stat }, 'read')) return;
    found.add(`${path}${END}${findType(stat)}${stat.size}`);
  }

  #isSkipped(realPath: string): boolean {
    return this.#fromRoot && SKIPPED.some((skipped) => isWithin(realPath, skipped));
  }
}
