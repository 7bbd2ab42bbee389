/**
 * Goes through a tree of directories in no particular order, by steps that whoever moves things about meanwhile cannot lead
 * elsewhere (`reached.ts`). Protected directories are not entered. What is done in a directory is the visitor's business. For reading
 * only; changes go through `tree`. Two threads may share a scan: directories are given to whoever has none left.
 */
import { checkAbort } from '../abort.ts';
import { closeAll, entryPrefix, type Glance } from './descriptors.ts';
import type { Guard } from './guard.ts';
import { placeBelow, type Place } from './names.ts';
import { PendingNames } from './pending-names.ts';
import { reach, reachedBy, Steps, type Reached } from './reached.ts';
import { SortBudget } from './sorting.ts';

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
/** Directories between two looks at the signal. */
const DIRECTORIES_PER_LOOK = 16;

export interface ScanOptions {
  /** The start, a directory; remains the caller's. */
  readonly fd: number;
  /** How paths begin; byte string. */
  readonly path: string;
  /** Where the start really is, for the guard. */
  readonly realPath: string;
  readonly guard: Guard;
  /** Paths may be used, see `Steps` and `entryPrefix`; never as root. */
  readonly byPath: boolean;
  /** Asked every few directories; the scan throws its reason when it is aborted. */
  readonly context: { readonly signal: AbortSignal };
}

/** A directory that is being gone through. */
export interface Scanned extends Place {
  readonly stat: Glance;
  /** 0 for the start. */
  readonly depth: number;
  /** A path that leads to it and nothing else while it is read; ASCII. */
  readonly at: string;
  /** See `entryPrefix`. */
  readonly prefix: string;
}

export interface Visitor<Notes> {
  /** Whether a directory is gone into at all, besides what the guard says. */
  enters(directory: Scanned): boolean;
  /**
   * Reads a directory, adds those in it that are to be entered to `pending`, and returns what it notes of it. Throws the system error
   * when it cannot be read.
   */
  read(directory: Scanned, pending: Pick<PendingNames, 'add'>): Notes;
  /** A directory and everything below it is done; `above` are the notes of the one that it is in. */
  leave?(directory: Scanned, notes: Notes, above: Notes | undefined): void;
}

interface Frame<Notes> {
  /** Undefined when it was let go of. */
  reached: Reached | undefined;
  /** In the directory above. */
  readonly name: string;
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
  readonly #steps: Steps;
  readonly #start: Reached;
  readonly #stack: Frame<Notes>[] = [];
  readonly #budget = new SortBudget();
  readonly #team: ScanTeam | undefined;
  /** The names that lead from the start to the bottom of the stack. */
  #given: readonly string[] = [];
  /** For the next directory: most have none to be entered, and leave it as it was. */
  #unused: PendingNames | undefined;
  #turns = 0;

  constructor(options: ScanOptions, visitor: Visitor<Notes>, team?: ScanTeam) {
    this.#options = options;
    this.#visitor = visitor;
    this.#steps = new Steps(options.byPath);
    this.#start = this.#steps.start(options.fd, options.realPath);
    this.#team = team;
  }

  /** Goes through what is below the start under these names. Throws the system error when the start itself cannot be read. */
  run(names: readonly string[] = []): void {
    const { path, realPath, context } = this.#options;
    this.#given = names;
    // `.` is the start itself, so that it gets a descriptor of the scan's own where it is held
    if (names.length === 0) this.#enter(this.#start, '.', { path, realPath }, 0);
    else this.#enterGiven(names);
    const team = this.#team;
    for (let frame = this.#stack.at(-1); frame !== undefined; frame = this.#stack.at(-1)) {
      if (++this.#turns % DIRECTORIES_PER_LOOK === 0) checkAbort(context.signal);
      if (team?.isAsked === true) this.#giveAway(team);
      const name = frame.pending.next();
      if (name === undefined) this.#leave(frame);
      else this.#descend(frame, name);
    }
  }

  close(): void {
    for (const frame of this.#stack.splice(0)) {
      frame.pending.close();
      closeAll(frame.reached?.fd);
    }
  }

  #descend({ reached, directory }: Frame<Notes>, name: string): void {
    if (reached === undefined) return;
    try {
      this.#enter(reached, name, placeBelow(directory, name), directory.depth + 1);
    } catch {
      checkAbort(this.#options.context.signal); // else gone, or not to be read
    }
  }

  /** Goes to a directory that was given, as anybody who goes there: from the start, one by one, through no link. */
  #enterGiven(names: readonly string[]): void {
    let place: Place = this.#options;
    let above = this.#start;
    try {
      for (const name of names.slice(0, -1)) {
        place = placeBelow(place, name);
        const next = this.#steps.below(above, name, place.realPath);
        this.#release(above);
        above = next;
      }
      const last = names.at(-1) ?? '.';
      this.#enter(above, last, placeBelow(place, last), names.length);
    } catch {
      checkAbort(this.#options.context.signal); // else gone, or not to be read
    } finally {
      this.#release(above);
    }
  }

  /** Gives what is furthest up, which is likely to be large, unless it is all that is left. */
  #giveAway(team: ScanTeam): void {
    for (const [index, { directory, pending }] of this.#stack.entries()) {
      const name = directory.depth < MOST_NAMES ? pending.next() : undefined;
      if (name === undefined) continue;
      const way = this.#stack.slice(1, index + 1).map((frame) => frame.name);
      team.give([...this.#given, ...way, name]);
      return;
    }
  }

  /** The start remains the caller's. */
  #release(reached: Reached): void {
    if (reached !== this.#start) closeAll(reached.fd);
  }

  #enter(above: Reached, name: string, { path, realPath }: Place, depth: number): void {
    const reached = this.#steps.below(above, name, realPath);
    let isKept = false;
    try {
      const { stat, at } = reached;
      const directory: Scanned = { path, realPath, stat, depth, at, prefix: entryPrefix(at, realPath, this.#options.byPath) };
      if (this.#options.guard.isProtected(directory, 'read') || !this.#visitor.enters(directory)) return;
      isKept = this.#read(directory, reached, name);
    } finally {
      if (!isKept) closeAll(reached.fd);
    }
  }

  /** Reads a directory; false when nothing below it is to be entered, and it is done. */
  #read(directory: Scanned, reached: Reached, name: string): boolean {
    const pending = (this.#unused ??= new PendingNames(this.#budget));
    let notes: Notes;
    try {
      notes = this.#visitor.read(directory, pending);
    } catch (error) {
      this.#unused = undefined;
      pending.close();
      throw error;
    }
    if (pending.isEmpty) {
      this.#visitor.leave?.(directory, notes, this.#stack.at(-1)?.notes);
      return false;
    }
    this.#unused = undefined;
    this.#stack.push({ reached, name, directory, notes, pending });
    this.#limitHeld();
    return true;
  }

  #limitHeld(): void {
    const frame = this.#stack.at(-1 - HELD_DIRECTORIES);
    if (frame?.reached?.fd === undefined) return;
    closeAll(frame.reached.fd);
    frame.reached = undefined;
  }

  /** Goes up; a directory that was let go must be found again as what is above the one just left, else it is done. */
  #leave(frame: Frame<Notes>): void {
    this.#stack.pop();
    const above = this.#stack.at(-1);
    this.#visitor.leave?.(frame.directory, frame.notes, above?.notes);
    const fd = frame.reached?.fd;
    try {
      if (above !== undefined && above.reached === undefined && fd !== undefined) {
        above.reached = reachedBy(reach(fd, above.directory.stat), above.directory.stat);
      }
    } catch {
      // moved away meanwhile: what is still to be entered there cannot be reached
    }
    closeAll(fd);
  }
}
