/**
 * Walks a tree on descriptors: every directory is opened below the one that is held, never by its path and never through a link,
 * so whoever moves things about meanwhile cannot lead the walk elsewhere. There is no cap on entries; names are sorted, and beyond
 * a memory budget they are sorted in a temporary file.
 */
import { checkAbort } from '../abort.ts';
import type { Guard } from './guard.ts';
import { closeAll, glanceHeld, heldPath, openDirectory, statHeld, type Glance } from './descriptors.ts';
import { readDirectory } from './directory.ts';
import { joinPath, textOf } from './names.ts';
import { reach } from './reached.ts';
import { SortBudget, Sorter } from './sorting.ts';

/** Directories held open at a time; those further up are reached again through `..` and recognised. */
const HELD_DIRECTORIES = 64;

export interface TreeOptions {
  /** Descriptor of the object at which the walk starts; remains the caller's. */
  readonly fd: number;
  /** How entries' paths begin; byte string. */
  readonly path: string;
  /** Where the start really is, for the guard. */
  readonly realPath: string;
  readonly guard: Guard;
  readonly use: 'read' | 'write';
  /** Asked now and then; the walk throws its reason when it is aborted. */
  readonly context: { readonly signal: AbortSignal };
  /** Levels below the start, 1 for its direct children; default all. */
  readonly maxDepth?: number;
  /** Directories that are passed over with everything below; gets the real path. */
  readonly skips?: (realPath: string) => boolean;
  /** Memory for names; default 64 MiB. */
  readonly budget?: SortBudget;
}

/** One entry; valid until the next is asked for. */
export interface TreeEntry {
  /** Byte string. */
  readonly path: string;
  readonly realPath: string;
  /** The held directory that it is in and its name there (byte string); for the start itself both are undefined. */
  readonly directory: number | undefined;
  readonly name: string | undefined;
  readonly depth: number;
  /** Set when this is no entry but word of a directory, told before, that could not be read: a system error. */
  readonly failure?: unknown;
}

interface Frame {
  fd: number | undefined;
  readonly stat: Glance;
  readonly entry: TreeEntry;
  readonly sorter: Sorter;
  readonly names: Iterator<string>;
}

/**
 * The start and everything below in byte order of the full path. A directory comes before its content; protected directories come
 * but are not entered.
 */
export function* walkTree(options: TreeOptions): Generator<TreeEntry> {
  const walk = new TreeWalk(options);
  try {
    yield* walk.run();
  } finally {
    walk.close();
  }
}

class TreeWalk {
  readonly #options: TreeOptions;
  readonly #budget: SortBudget;
  readonly #stack: Frame[] = [];

  constructor(options: TreeOptions) {
    this.#options = options;
    this.#budget = options.budget ?? new SortBudget();
  }

  *run(): Generator<TreeEntry> {
    const { path, realPath, fd, maxDepth = Infinity } = this.#options;
    const start: TreeEntry = { path, realPath, directory: undefined, name: undefined, depth: 0 };
    yield start;
    // `/proc/self/fd/N/.` is the directory itself, so that it gets a descriptor of the walk's own
    if (maxDepth > 0 && statHeld(fd).isDirectory()) yield* this.#enter(start, fd, '.');
    for (let frame = this.#stack.at(-1); frame !== undefined; frame = this.#stack.at(-1)) {
      checkAbort(this.#options.context.signal);
      const next = frame.names.next();
      if (next.done === true) yield* this.#leave(frame);
      else if (next.value.endsWith('/')) yield* this.#enterChild(frame, next.value.slice(0, -1));
      else yield this.#child(frame, next.value);
    }
  }

  close(): void {
    for (const frame of this.#stack.splice(0)) {
      frame.sorter.close();
      closeAll(frame.fd);
    }
  }

  #child(frame: Frame, name: string): TreeEntry {
    const { path, realPath, depth } = frame.entry;
    return {
      path: joinPath(path, name),
      realPath: joinPath(realPath, textOf(name)),
      directory: frame.fd,
      name,
      depth: depth + 1,
    };
  }

  #enterChild(frame: Frame, name: string): Generator<TreeEntry> {
    return this.#enter(this.#child(frame, name), heldOf(frame), name);
  }

  /** Opens and lists a directory; an entry comes out only when that fails. */
  *#enter(entry: TreeEntry, directory: number, name: string): Generator<TreeEntry> {
    let fd: number | undefined;
    const sorter = new Sorter({ budget: this.#budget });
    try {
      fd = openDirectory(directory, name);
      const stat = glanceHeld(fd);
      if (this.#passesOver(entry, stat)) {
        closeAll(fd);
        return;
      }
      this.#list(fd, stat, entry.depth, sorter);
      this.#stack.push({ fd, stat, entry, sorter, names: sorter.drain() });
      this.#limitHeld();
    } catch (failure) {
      sorter.close();
      closeAll(fd);
      checkAbort(this.#options.context.signal);
      yield { ...entry, failure };
    }
  }

  #passesOver(entry: TreeEntry, stat: Glance): boolean {
    const { guard, use, skips } = this.#options;
    return skips?.(entry.realPath) === true || guard.isProtected({ realPath: entry.realPath, stat }, use);
  }

  /** A directory is sorted twice: as `name`, where it is told, and as `name/`, where its content belongs. */
  #list(fd: number, stat: Glance, depth: number, sorter: Sorter): void {
    const enters = depth + 1 < (this.#options.maxDepth ?? Infinity);
    for (const entries of readDirectory(heldPath(fd), stat.size)) {
      for (const entry of entries) {
        sorter.add(entry.name);
        if (enters && entry.isDirectory()) sorter.add(`${entry.name}/`);
      }
      checkAbort(this.#options.context.signal);
    }
  }

  #limitHeld(): void {
    const frame = this.#stack.at(-1 - HELD_DIRECTORIES);
    if (frame?.fd === undefined) return;
    closeAll(frame.fd);
    frame.fd = undefined;
  }

  /** Goes up; a directory that was let go must be found again as what is above the one just left. */
  *#leave(frame: Frame): Generator<TreeEntry> {
    this.#stack.pop();
    const above = this.#stack.at(-1);
    try {
      if (above !== undefined && above.fd === undefined) above.fd = reach(heldOf(frame), above.stat);
    } catch (failure) {
      yield* this.#giveUp(failure);
    } finally {
      closeAll(frame.fd);
    }
  }

  /** What is left of the directories that were let go cannot be reached any more. */
  *#giveUp(failure: unknown): Generator<TreeEntry> {
    for (let frame = this.#stack.at(-1); frame !== undefined && frame.fd === undefined; frame = this.#stack.at(-1)) {
      this.#stack.pop();
      frame.sorter.close();
      yield { ...frame.entry, failure };
    }
  }
}

/** The directory at hand is always held. */
function heldOf(frame: Frame): number {
  if (frame.fd === undefined) throw new Error('the directory at hand is not held');
  return frame.fd;
}
