/**
 * Steps from a directory into one in it, which nobody can lead elsewhere. As root every directory is opened below the one that is
 * held, never by its path and never through a link. Without privilege the path does where every directory on the way is fixed: see
 * `FixedDirectories`.
 */
import { openSync } from 'node:fs';
import {
  closeAll,
  glanceAt,
  glanceHeld,
  HELD_DIRECTORY,
  heldPath,
  isPathUsable,
  openDirectory,
  sameObject,
  type Glance,
} from './descriptors.ts';
import { FixedDirectories } from './fixed-directories.ts';

/** A directory that was reached. */
export interface Reached {
  /** Undefined where the path does. Whoever got it from `below` closes it. */
  readonly fd: number | undefined;
  readonly stat: Glance;
  /** A path that leads to it and nothing else, while `fd` is open. */
  readonly at: string;
}

export class Steps {
  readonly #fixed: FixedDirectories | undefined;

  /** `byPath`: paths may be used where they are fixed; never as root. */
  constructor(byPath: boolean) {
    this.#fixed = byPath ? new FixedDirectories() : undefined;
  }

  /** Where the steps begin: a directory that the caller holds and goes on holding. */
  start(fd: number, realPath: string): Reached {
    const stat = glanceHeld(fd);
    if (this.#fixed?.holdsPath(realPath, stat) === true) return { fd: undefined, stat, at: realPath };
    return reachedBy(fd, stat);
  }

  /** The directory of this name, which is where `realPath` says; `.` is the same directory. Throws the system error. */
  below({ fd, at }: Reached, name: string, realPath: string): Reached {
    if (fd !== undefined) return held(openDirectory(fd, name));
    if (isPathUsable(realPath)) {
      const stat = glanceAt(realPath);
      if (stat !== undefined && this.#fixed?.has(realPath, stat) === true) return { fd: undefined, stat, at: realPath };
    }
    const above = openSync(at, HELD_DIRECTORY);
    try {
      return held(openDirectory(above, name));
    } finally {
      closeAll(above);
    }
  }
}

/** A directory that is held. */
export function reachedBy(fd: number, stat: Glance): Reached {
  return { fd, stat, at: heldPath(fd) };
}

function held(fd: number): Reached {
  try {
    return reachedBy(fd, glanceHeld(fd));
  } catch (error) {
    closeAll(fd);
    throw error;
  }
}

/** Holds the directory above `fd`, which must be the one wanted. Throws ESTALE when it was moved, or the system error. */
export function reach(fd: number, wanted: Glance): number {
  const above = openDirectory(fd, '..');
  if (sameObject(glanceHeld(above), wanted)) return above;
  closeAll(above);
  throw Object.assign(new Error('the directory was moved during the walk'), { code: 'ESTALE' });
}
