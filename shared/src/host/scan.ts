/**
 * Goes through a tree of directories in no particular order, on descriptors: every directory is opened below the one that is held,
 * never by its path and never through a link, so whoever moves things about meanwhile cannot lead the scan elsewhere. Protected
 * directories are not entered. What is done in a directory is the visitor's business. For reading only; changes go through `tree`.
 */
import type { BigIntStats } from 'node:fs';
import { checkAbort } from '../abort.ts';
import { closeAll, openDirectory, statHeld } from './descriptors.ts';
import type { Guard } from './guard.ts';
import { joinPath, textOf } from './names.ts';
import { PendingNames } from './pending-names.ts';
import { SortBudget } from './sorting.ts';
import { reach } from './tree.ts';

/** Directories held open at a time; those further up are reached again through `..` and recognised. */
const HELD_DIRECTORIES = 64;

export interface ScanOptions {
  /** The start, a directory; remains the caller's. */
  readonly fd: number;
  /** How paths begin; byte string. */
  readonly path: string;
  /** Where the start really is, for the guard. */
  readonly realPath: string;
  readonly guard: Guard;
  /** Asked at every directory; the scan throws its reason when it is aborted. */
  readonly context: { readonly signal: AbortSignal };
}

/** A directory that is being gone through. */
export interface Scanned {
  /** Byte strings. */
  readonly path: string;
  readonly realPath: string;
  readonly stat: BigIntStats;
  /** 0 for the start. */
  readonly depth: number;
}

export interface Visitor<Notes> {
  /** Whether a directory is gone into at all, besides what the guard says. */
  enters(directory: Scanned): boolean;
  /**
   * Reads a directory through `fd`, names those in it that are to be entered with `enter`, and returns what it notes of it. Throws
   * the system error when it cannot be read.
   */
  read(directory: Scanned, fd: number, enter: (name: string) => void): Notes;
  /** A directory and everything below it is done; `above` are the notes of the one that it is in. */
  leave?(directory: Scanned, notes: Notes, above: Notes | undefined): void;
}

interface Frame<Notes> {
  fd: number | undefined;
  readonly directory: Scanned;
  readonly notes: Notes;
  readonly pending: PendingNames;
}

/** Goes through everything. Throws the system error when the start cannot be read; what is below it and cannot is passed over. */
export function scanTree<Notes>(options: ScanOptions, visitor: Visitor<Notes>): void {
  const scan = new Scan(options, visitor);
  try {
    scan.run();
  } finally {
    scan.close();
  }
}

class Scan<Notes> {
  readonly #options: ScanOptions;
  readonly #visitor: Visitor<Notes>;
  readonly #stack: Frame<Notes>[] = [];
  readonly #budget = new SortBudget();

  constructor(options: ScanOptions, visitor: Visitor<Notes>) {
    this.#options = options;
    this.#visitor = visitor;
  }

  run(): void {
    const { fd, path, realPath } = this.#options;
    // `/proc/self/fd/N/.` is the start itself, so that it gets a descriptor of the scan's own
    this.#enter(fd, '.', path, realPath);
    for (let frame = this.#stack.at(-1); frame !== undefined; frame = this.#stack.at(-1)) {
      checkAbort(this.#options.context.signal);
      const name = frame.pending.next();
      if (name === undefined) this.#leave(frame);
      else this.#descend(frame, name);
    }
  }

  close(): void {
    for (const frame of this.#stack.splice(0)) {
      frame.pending.close();
      closeAll(frame.fd);
    }
  }

  #descend({ fd, directory }: Frame<Notes>, name: string): void {
    if (fd === undefined) return;
    try {
      this.#enter(fd, name, joinPath(directory.path, name), joinPath(directory.realPath, textOf(name)));
    } catch {
      checkAbort(this.#options.context.signal); // else gone, or not to be read
    }
  }

  #enter(above: number, name: string, path: string, realPath: string): void {
    const fd = openDirectory(above, name);
    const pending = new PendingNames(this.#budget);
    try {
      const directory: Scanned = { path, realPath, stat: statHeld(fd), depth: this.#stack.length };
      if (this.#options.guard.isProtected(directory, 'read') || !this.#visitor.enters(directory)) {
        closeAll(fd);
        return;
      }
      const notes = this.#visitor.read(directory, fd, (child) => pending.add(child));
      this.#stack.push({ fd, directory, notes, pending });
    } catch (error) {
      pending.close();
      closeAll(fd);
      throw error;
    }
    this.#limitHeld();
  }

  #limitHeld(): void {
    const frame = this.#stack.at(-1 - HELD_DIRECTORIES);
    if (frame?.fd === undefined) return;
    closeAll(frame.fd);
    frame.fd = undefined;
  }

  /** Goes up; a directory that was let go must be found again as what is above the one just left, else it is done. */
  #leave(frame: Frame<Notes>): void {
    this.#stack.pop();
    const above = this.#stack.at(-1);
    this.#visitor.leave?.(frame.directory, frame.notes, above?.notes);
    try {
      if (above !== undefined && above.fd === undefined && frame.fd !== undefined) {
        above.fd = reach(frame.fd, above.directory.stat);
      }
    } catch {
      // moved away meanwhile: what is still to be entered there cannot be reached
    }
    closeAll(frame.fd);
  }
}
