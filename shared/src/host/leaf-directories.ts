/**
 * Tells directories that hold no directory from their link count alone: then nobody needs to know of what kind each entry is. Only
 * where the file system is known to count so; a wrong answer would hide part of a tree, never show anything.
 */
import type { Glance } from './descriptors.ts';
import { EXT, FileSystemTypes, XFS } from './file-system-types.ts';

/**
 * File systems on which a directory has one link for its name, one for its `.`, and one for the `..` of each directory in it: ext2 to
 * ext4, which say 1 when there are too many to count, and XFS. Others say 1 always or what they like.
 */
const COUNTING: ReadonlySet<number> = new Set([EXT, XFS]);
/** The name and the `.`. */
const OWN_LINKS = 2;

export class LeafDirectories {
  readonly #types: FileSystemTypes;

  constructor(types = new FileSystemTypes()) {
    this.#types = types;
  }

  /** Whether the directory to which `at` leads, of this status, surely held no directory when it was examined. */
  has(at: string, { dev, nlink }: Pick<Glance, 'dev' | 'nlink'>): boolean {
    return nlink === OWN_LINKS && COUNTING.has(this.#types.typeOf(at, dev));
  }
}
