/**
 * Goes through a tree of directories in no particular order, on descriptors: every directory is opened below the one that is held,
 * never by its path and never through a link, so whoever moves things about meanwhile cannot lead the scan elsewhere. Protected
 * directories are not entered. What is done in a directory is the visitor's business. For reading only; changes go through `tree`.
 * Two threads may share a scan: directories are given to whoever has none left.
 */
import type { BigIntStats } from 'node:fs';
import { checkAbort } from '../abort.ts';
import { closeAll, heldPath, openDirectory, statHeld } from './descriptors.ts';
import type { Guard } from './guard.ts';
import { isAscii, joinPath, textOf } from './names.ts';
import { PendingNames } from './pending-names.ts';
import { SortBudget } from './sorting.ts';
import { reach } from './tree.ts';

/** What a scan asks of the team that shares it; see the teams of worker threads. */
export interface ScanTeam {
  readonly isAsked: boolean;
  give(names: readonly string[]): void;
  next(): Promise<readonly string[] | undefined>;
}

/** Directories held open at a time; those further up are reached again through `..` and recognised. */
const HELD_DIRECTORIES = 64;
/** Directories deeper than this are not given away: whoever gets one goes there from the start. */
const MOST_NAMES = 16;
/** Longer paths, in bytes, take the kernel as long as the way over the descriptor. */
const LONGEST_PREFIX = 256;

export interface ScanOptions {
  /** The start, a directory; remains the caller's. */
  readonly fd: number;
  /** How paths begin; byte string. */
  readonly path: string;
  /** Where the start really is, for the guard. */
  readonly realPath: string;
  readonly guard: Guard;
  /**
   * For calls without privilege: entries may be looked at by their path, which the kernel resolves in half the time. A directory
   * above that is exchanged meanwhile can show nothing that this account may not see anyway; directories are opened below the held
   * one all the same.
   */
  readonly byPath: boolean;
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
  /** What to put before the name of an entry to look at it with `statBelow`. */
  readonly prefix: string;
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
  /** Names that lead here from the start. */
  readonly names: readonly string[];
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

/** As `scanTree`, from the start or from another directory that the team gave, until the team has no more. */
export async function scanShared<Notes>(
  options: ScanOptions,
  visitor: Visitor<Notes>,
  team: ScanTeam,
  first: readonly string[] | undefined,
): Promise<void> {
  const scan = new Scan(options, visitor, team);
  try {
    for (let names = first; names !== undefined; names = await team.next()) scan.run(names);
  } finally {
    scan.close();
  }
}

class Scan<Notes> {
  readonly #options: ScanOptions;
  readonly #visitor: Visitor<Notes>;
  readonly #stack: Frame<Notes>[] = [];
  readonly #budget = new SortBudget();
  readonly #team: ScanTeam | undefined;

  constructor(options: ScanOptions, visitor: Visitor<Notes>, team?: ScanTeam) {
    this.#options = options;
    this.#visitor = visitor;
    this.#team = team;
  }

  /** Goes through what is below the start under these names. Throws the system error when the start itself cannot be read. */
  run(names: readonly string[] = []): void {
    const { fd, path, realPath } = this.#options;
    // `/proc/self/fd/N/.` is the start itself, so that it gets a descriptor of the scan's own
    if (names.length === 0) this.#enter(fd, '.', { names, path, realPath });
    else this.#enterGiven(names);
    for (let frame = this.#stack.at(-1); frame !== undefined; frame = this.#stack.at(-1)) {
      checkAbort(this.#options.context.signal);
      if (this.#team?.isAsked === true) this.#giveAway(this.#team);
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

  #descend({ fd, names, directory }: Frame<Notes>, name: string): void {
    if (fd === undefined) return;
    try {
      this.#enter(fd, name, below({ names, path: directory.path, realPath: directory.realPath }, name));
    } catch {
      checkAbort(this.#options.context.signal); // else gone, or not to be read
    }
  }

  /** Goes to a directory that was given, as anybody who goes there: from the start, one by one, through no link. */
  #enterGiven(names: readonly string[]): void {
    const { fd, path, realPath } = this.#options;
    let place: Place = { names: [], path, realPath };
    let held: number | undefined;
    try {
      for (const name of names.slice(0, -1)) {
        const next = openDirectory(held ?? fd, name);
        closeAll(held);
        held = next;
        place = below(place, name);
      }
      const last = names.at(-1) ?? '.';
      this.#enter(held ?? fd, last, below(place, last));
    } catch {
      checkAbort(this.#options.context.signal); // else gone, or not to be read
    } finally {
      closeAll(held);
    }
  }

  /** Gives what is furthest up, which is likely to be large, unless it is all that is left. */
  #giveAway(team: ScanTeam): void {
    for (const frame of this.#stack) {
      const name = frame.names.length < MOST_NAMES ? frame.pending.next() : undefined;
      if (name === undefined) continue;
      team.give([...frame.names, name]);
      return;
    }
  }

  #enter(above: number, name: string, { names, path, realPath }: Place): void {
    const fd = openDirectory(above, name);
    const pending = new PendingNames(this.#budget);
    try {
      const directory: Scanned = {
        path,
        realPath,
        stat: statHeld(fd),
        depth: names.length,
        prefix: this.#prefixOf(realPath, fd),
      };
      if (this.#options.guard.isProtected(directory, 'read') || !this.#visitor.enters(directory)) {
        closeAll(fd);
        return;
      }
      const notes = this.#visitor.read(directory, fd, (child) => pending.add(child));
      this.#stack.push({ fd, names, directory, notes, pending });
    } catch (error) {
      pending.close();
      closeAll(fd);
      throw error;
    }
    this.#limitHeld();
  }

  #prefixOf(realPath: string, fd: number): string {
    const takesPath = this.#options.byPath && realPath.length < LONGEST_PREFIX && isAscii(realPath);
    return takesPath ? joinPath(realPath, '') : `${heldPath(fd)}/`;
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

/** Where a directory is: by the names below the start, for people, and really. */
interface Place extends Pick<Scanned, 'path' | 'realPath'> {
  readonly names: readonly string[];
}

function below({ names, path, realPath }: Place, name: string): Place {
  return { names: [...names, name], path: joinPath(path, name), realPath: joinPath(realPath, textOf(name)) };
}
