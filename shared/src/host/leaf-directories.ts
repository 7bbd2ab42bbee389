/**
 * Tells directories that hold no directory from their link count alone: then nobody needs to know of what kind each entry is. Only
 * where the file system is known to count so; a wrong answer would hide part of a tree, never show anything.
 */
import { statfsSync, type BigIntStats } from 'node:fs';
import { heldPath } from './descriptors.ts';

/**
 * File systems (f_type, statfs(2)) on which a directory has one link for its name, one for its `.`, and one for the `..` of each
 * directory in it: ext2 to ext4, which say 1 when there are too many to count, and XFS. Others say 1 always or what they like.
 */
const COUNTING: ReadonlySet<number> = new Set([0xef53, 0x58465342]);
/** The name and the `.`. */
const OWN_LINKS = 2n;

export class LeafDirectories {
  readonly #typeOf: (fd: number) => number;
  /** The file system of the last directory, and whether it counts: a tree mostly lies on one. */
  #device = -1n;
  #counts = false;

  /** `typeOf` says the type of the file system of a held object; another than the kernel's answer only in tests. */
  constructor(typeOf: (fd: number) => number = typeOfFileSystem) {
    this.#typeOf = typeOf;
  }

  /** Whether the held directory, of this status, surely held no directory when it was examined. */
  has(fd: number, { dev, nlink }: Pick<BigIntStats, 'dev' | 'nlink'>): boolean {
    if (nlink !== OWN_LINKS) return false;
    if (dev !== this.#device) {
      this.#counts = COUNTING.has(this.#typeOf(fd));
      this.#device = dev;
    }
    return this.#counts;
  }
}

function typeOfFileSystem(fd: number): number {
  return statfsSync(heldPath(fd)).type;
}
