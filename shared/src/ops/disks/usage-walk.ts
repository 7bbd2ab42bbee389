/**
 * Adds up what a tree occupies, on descriptors: every directory is opened below the one that is held, never through a link. What
 * may not be read counts nothing, protected objects are passed over. Memory does not grow with the tree but for its hard links.
 */
import type { OpContext } from '../operation.ts';
import type { BigIntStats } from 'node:fs';
import { checkAbort } from '../../abort.ts';
import { isWithin } from '../../host/clean.ts';
import { closeAll, openDirectory, statEntry, statHeld } from '../../host/descriptors.ts';
import { readNames } from '../../host/directory.ts';
import type { Guard } from '../../host/guard.ts';
import { InodeSet } from '../../host/inode-set.ts';
import { joinPath, textOf } from '../../host/names.ts';
import { PendingNames } from '../../host/pending-names.ts';
import { SortBudget } from '../../host/sorting.ts';
import { reach } from '../../host/tree.ts';

/** Directories held open at a time; those further up are reached again through `..` and recognised. */
const HELD_DIRECTORIES = 64;
/** Names looked at between two looks at the signal. */
const NAMES_PER_LOOK = 1024;
/** stat(2): the unit of st_blocks. */
const BLOCK = 512;

export interface UsageOptions {
  /** The start, a directory; remains the caller's. */
  readonly fd: number;
  /** How paths begin; byte string. */
  readonly path: string;
  /** Where the start really is, for the guard. */
  readonly realPath: string;
  readonly guard: Guard;
  readonly context: Pick<OpContext, 'signal' | 'progress'>;
  /** Sizes of files instead of the blocks that they occupy. */
  readonly apparent: boolean;
  readonly oneFileSystem: boolean;
  /** Directories are told without what is in directories below them. */
  readonly separate: boolean;
  /** What is passed over: gets the name and the whole path. */
  readonly excludes: ((name: string, path: string) => boolean) | undefined;
  /** Told of every file that counts (not of further links to it). Byte string, bytes. */
  readonly onFile: ((path: string, size: number) => void) | undefined;
  /** Told of every directory below the start when it is done; depth 1 is directly below. */
  readonly onDirectory: (path: string, size: number, depth: number) => void;
}

interface Frame {
  fd: number | undefined;
  readonly stat: BigIntStats;
  /** Byte strings. */
  readonly path: string;
  readonly realPath: string;
  readonly pending: PendingNames;
  /** A protected path lies somewhere below: every entry is looked at by the guard. */
  readonly nearProtected: boolean;
  /** Bytes of the directory and the files in it. */
  own: number;
  /** Bytes of the directories in it. */
  below: number;
}

/** Bytes of the whole tree, or of the start alone (`separate`). Throws the system error when the start cannot be read. */
export function addUp(options: UsageOptions): number {
  const walk = new UsageWalk(options);
  try {
    return walk.run();
  } finally {
    walk.close();
  }
}

class UsageWalk {
  readonly #options: UsageOptions;
  readonly #stack: Frame[] = [];
  readonly #links = new InodeSet();
  readonly #budget = new SortBudget();
  #device = 0n;
  #looked = 0;

  constructor(options: UsageOptions) {
    this.#options = options;
  }

  run(): number {
    const { fd, path, realPath, separate } = this.#options;
    this.#device = statHeld(fd).dev;
    // `/proc/self/fd/N/.` is the start itself, so that it gets a descriptor of the walk's own
    this.#enter(fd, '.', path, realPath);
    for (;;) {
      checkAbort(this.#options.context.signal);
      const frame = this.#stack.at(-1);
      if (frame === undefined) return 0; // a protected start
      const name = frame.pending.next();
      if (name !== undefined) this.#descend(frame, name);
      else if (this.#stack.length > 1) this.#leave(frame);
      else return separate ? frame.own : frame.own + frame.below;
    }
  }

  close(): void {
    for (const frame of this.#stack.splice(0)) {
      frame.pending.close();
      closeAll(frame.fd);
    }
  }

  /** Looks up from the work: whether to go on, and how far it is. */
  #look(): void {
    const { context } = this.#options;
    checkAbort(context.signal);
    context.progress?.(this.#looked, `${this.#looked} entries looked at`);
  }

  /** A directory that cannot be entered or read counts nothing. */
  #descend(frame: Frame, name: string): void {
    if (frame.fd === undefined) return;
    try {
      this.#enter(frame.fd, name, joinPath(frame.path, name), joinPath(frame.realPath, textOf(name)));
    } catch {
      checkAbort(this.#options.context.signal);
    }
  }

  #enter(directory: number, name: string, path: string, realPath: string): void {
    const { guard, oneFileSystem } = this.#options;
    const fd = openDirectory(directory, name);
    const pending = new PendingNames(this.#budget);
    try {
      const stat = statHeld(fd);
      if ((oneFileSystem && stat.dev !== this.#device) || guard.isProtected({ realPath, stat }, 'read')) {
        closeAll(fd);
        return;
      }
      const nearProtected = guard.list.trees.some((tree) => isWithin(tree, realPath));
      const own = this.#sizeOf(stat);
      const frame = { fd, stat, path, realPath, pending, nearProtected, own, below: 0 };
      this.#read(frame, fd);
      this.#stack.push(frame);
    } catch (error) {
      pending.close();
      closeAll(fd);
      throw error;
    }
    this.#limitHeld();
  }

  /** Adds up the files of a directory and notes the directories in it. */
  #read(frame: Frame, fd: number): void {
    for (const name of readNames(fd, frame.stat.size)) {
      if (++this.#looked % NAMES_PER_LOOK === 0) this.#look();
      const stat = statEntry(fd, name);
      if (stat === undefined || this.#passesOver(frame, name, stat)) continue;
      if (stat.isDirectory()) frame.pending.add(name);
      else this.#addFile(frame, name, stat);
    }
  }

  /** A file with several names is no nearer to a protected object than its names are: each of them is looked at. */
  #passesOver(frame: Frame, name: string, stat: BigIntStats): boolean {
    const { guard, oneFileSystem, excludes } = this.#options;
    if (oneFileSystem && stat.dev !== this.#device) return true;
    if ((frame.nearProtected || stat.nlink > 1n) && !stat.isDirectory()) {
      if (guard.isProtected({ realPath: joinPath(frame.realPath, textOf(name)), stat }, 'read')) return true;
    }
    return excludes !== undefined && excludes(textOf(name), textOf(joinPath(frame.path, name)));
  }

  /** However many names a file has, it counts once. */
  #addFile(frame: Frame, name: string, stat: BigIntStats): void {
    if (stat.nlink > 1n && !this.#links.add(stat.dev, stat.ino)) return;
    const size = this.#sizeOf(stat);
    frame.own += size;
    this.#options.onFile?.(joinPath(frame.path, name), size);
  }

  #sizeOf({ size, blocks }: BigIntStats): number {
    return this.#options.apparent ? Math.max(0, Number(size)) : Number(blocks) * BLOCK;
  }

  #limitHeld(): void {
    const frame = this.#stack.at(-1 - HELD_DIRECTORIES);
    if (frame?.fd === undefined) return;
    closeAll(frame.fd);
    frame.fd = undefined;
  }

  /** Goes up; a directory that was let go must be found again as what is above the one just left, else it is done. */
  #leave(frame: Frame): void {
    const { separate, onDirectory } = this.#options;
    this.#stack.pop();
    const above = this.#stack.at(-1);
    const total = frame.own + frame.below;
    onDirectory(frame.path, separate ? frame.own : total, this.#stack.length);
    if (above === undefined) return;
    above.below += total;
    try {
      if (above.fd === undefined && frame.fd !== undefined) above.fd = reach(frame.fd, above.stat);
    } catch {
      // moved away meanwhile: what is still to be entered there cannot be reached
    }
    closeAll(frame.fd);
  }
}
