/**
 * A list of protected paths and everything below them, recognised under every path at which it can be seen now (links and bind
 * mounts lead there too) and, as far as hard links go, by device and inode.
 */
import { realpathSync } from 'node:fs';
import { dirname } from 'node:path';
import { isWithin } from './clean.ts';
import type { GuardedStatus } from './guard.ts';
import { KnownObjects } from './known-objects.ts';
import type { MountView, Place } from './mount-view.ts';

/** Milliseconds after which the paths are looked at again although no mount has changed: a link may lead elsewhere. */
const FRESH_MS = 1000;

export class ProtectedTrees {
  readonly #trees: readonly string[];
  readonly #mounts: MountView;
  readonly #known: KnownObjects;
  #paths: readonly string[] = [];
  #above: ReadonlySet<string> = new Set();
  #places: readonly Place[] | undefined;
  /** When the paths were looked at, and when the objects; as `performance.now` says. */
  #looked = -Infinity;
  #current = -Infinity;

  /** `trees` are absolute and clean; they need not exist. */
  constructor(trees: readonly string[], mounts: MountView) {
    this.#trees = trees;
    this.#mounts = mounts;
    this.#known = new KnownObjects(() => this.#trees);
  }

  /** Looks at everything again when the mounts have been looked at since; `now` is when that was, as `performance.now` says. */
  look(now: number): void {
    if (this.#trees.length === 0 || now === this.#current) return;
    this.#current = now;
    this.#known.look();
    const { places } = this.#mounts;
    if (places === this.#places && now - this.#looked <= FRESH_MS) return;
    this.#places = places;
    this.#looked = now;
    const named = [...this.#trees, ...this.#trees.flatMap(realPath)];
    this.#paths = [...new Set(named.flatMap((tree) => this.#mounts.aliasesOf(tree)))];
    this.#above = new Set(this.#paths.flatMap(ancestorsOf));
  }

  /** True for the trees and what is in them. */
  hold(realPath: string, stat: GuardedStatus | undefined): boolean {
    const paths = this.#paths;
    for (let at = 0; at < paths.length; at++) {
      const tree = paths[at] ?? '/';
      if (realPath.startsWith(tree) && isWithin(realPath, tree)) return true;
    }
    return stat !== undefined && this.#known.has(stat);
  }

  /** True for a directory above one of the trees: whoever owns it, or may write to it, can move the tree away. */
  areBelow(realPath: string): boolean {
    return this.#above.has(realPath);
  }
}

function realPath(path: string): string[] {
  try {
    return [realpathSync.native(path)];
  } catch {
    return []; // not there, or not for this process to see
  }
}

function ancestorsOf(path: string): string[] {
  const above: string[] = [];
  for (let at = path; at !== '/'; at = dirname(at)) above.push(dirname(at));
  return above;
}
