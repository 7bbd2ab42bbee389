/**
 * Adds up what a tree occupies. What may not be read counts nothing, protected objects are passed over. Memory does not grow with
 * the tree but for its hard links.
 */
import type { OpContext } from '../operation.ts';
import { glanceBelow, statHeld, type Glance } from '../../host/descriptors.ts';
import { readDirectory, readNames, sortOut } from '../../host/directory.ts';
import type { Guard } from '../../host/guard.ts';
import { InodeSet } from '../../host/inode-set.ts';
import { LeafDirectories } from '../../host/leaf-directories.ts';
import { S_IFDIR, S_IFMT } from '../../host/modes.ts';
import { areAscii, joinPath, placeBelow, textOf } from '../../host/names.ts';
import type { PendingNames } from '../../host/pending-names.ts';
import { scanShared, scanTree, type Scanned, type ScanTeam, type Visitor } from '../../host/scan.ts';
import { entriesLookedAt } from '../progress.ts';

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
  /** As for every scan. */
  readonly byPath: boolean;
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

/** Sums of one directory. */
interface Sums {
  /** Bytes of the directory and the files in it. */
  own: number;
  /** Bytes of the directories in it. */
  below: number;
}

/** Bytes of the whole tree, or of the start alone (`separate`). Throws the system error when the start cannot be read. */
export function addUp(options: UsageOptions): number {
  const usage = new Usage(options);
  scanTree(options, usage);
  return usage.total;
}

/** What a thread that shares a sum has counted. */
export interface PartialSum {
  /** Bytes, without the files that have several names. */
  readonly total: number;
  /** Files with several names, each once: device, inode, bytes, device, ... The other thread may have met them too. */
  readonly linked: BigInt64Array<ArrayBuffer>;
}

/** The sum of what a team gives, beginning with `first`. Only for sums of everything, because directories are told nothing of. */
export async function addUpGiven(
  options: UsageOptions,
  team: ScanTeam,
  first: readonly string[] | undefined,
): Promise<PartialSum> {
  const linked: bigint[] = [];
  const usage = new Usage(options, linked);
  await scanShared(options, usage, team, first);
  return { total: usage.total, linked: BigInt64Array.from(linked) };
}

/** The sum of several, with each file once. */
export function joinSums(sums: readonly PartialSum[]): number {
  const links = new InodeSet();
  let total = 0;
  for (const { total: alone, linked } of sums) {
    total += alone;
    for (let at = 0; at < linked.length; at += 3) {
      if (links.add(linked[at] ?? 0n, linked[at + 1] ?? 0n)) total += Number(linked[at + 2]);
    }
  }
  return total;
}

class Usage implements Visitor<Sums> {
  total = 0;
  /** Where files with several names are noted instead of being counted. */
  readonly #linked: bigint[] | undefined;
  readonly #options: UsageOptions;
  readonly #links = new InodeSet();
  readonly #leaves = new LeafDirectories();
  readonly #device: number;
  readonly #count: (entries: number) => void;
  /** Nothing is asked for but the sum of blocks: then most files need no second thought. */
  readonly #isPlain: boolean;

  constructor(options: UsageOptions, linked?: bigint[]) {
    this.#options = options;
    this.#count = entriesLookedAt(options.context);
    this.#linked = linked;
    this.#device = Number(statHeld(options.fd).dev);
    const { apparent, oneFileSystem, excludes, onFile } = options;
    this.#isPlain = !apparent && !oneFileSystem && excludes === undefined && onFile === undefined;
  }

  enters({ stat }: Scanned): boolean {
    return !this.#options.oneFileSystem || stat.dev === this.#device;
  }

  /** Adds up the files of a directory and notes the directories in it. */
  read(directory: Scanned, pending: Pick<PendingNames, 'add'>): Sums {
    const { at: way, stat: status } = directory;
    const isNear = this.#options.guard.isNear(directory);
    let own = this.#options.apparent ? status.size : status.blocks * BLOCK;
    // of directories nothing is asked before they are entered, and are examined: they are noted without a look
    if (this.#isPlain && !isNear && !this.#leaves.has(way, status)) {
      for (const entries of readDirectory(way, status.size)) {
        this.#count(entries.length);
        own += this.#addUp(directory, sortOut(entries, 'never', pending), pending, isNear);
      }
      return { own, below: 0 };
    }
    for (const names of readNames(way, status.size)) {
      this.#count(names.length);
      own += this.#addUp(directory, names, pending, isNear);
    }
    return { own, below: 0 };
  }

  /** Bytes of these entries of a directory. */
  #addUp(directory: Scanned, names: readonly string[], pending: Pick<PendingNames, 'add'>, isNear: boolean): number {
    const { prefix } = directory;
    const isPlain = this.#isPlain && !isNear;
    const plain = areAscii(names);
    let sum = 0;
    for (let at = 0; at < names.length; at++) {
      const name = names[at] ?? '';
      const stat = glanceBelow(prefix, name, plain);
      if (stat === undefined) continue;
      const isDirectory = (stat.mode & S_IFMT) === S_IFDIR;
      if (isPlain && stat.nlink === 1 && !isDirectory) sum += stat.blocks * BLOCK;
      else if (!(isPlain && isDirectory) && this.#passesOver(directory, name, stat, isNear)) continue;
      else if (isDirectory) pending.add(name);
      else sum += this.#file(directory, name, stat);
    }
    return sum;
  }

  leave({ path, depth }: Scanned, { own, below }: Sums, above: Sums | undefined): void {
    const { separate, onDirectory } = this.#options;
    const shown = separate ? own : own + below;
    if (above === undefined) {
      this.total += shown;
      return;
    }
    onDirectory(path, shown, depth);
    above.below += own + below;
  }

  /**
   * A file with several names is no nearer to a protected object than its names are: each of them is looked at. Directories are,
   * too, when they are entered.
   */
  #passesOver(directory: Scanned, name: string, stat: Glance, isNear: boolean): boolean {
    const { guard, oneFileSystem, excludes } = this.#options;
    if (oneFileSystem && stat.dev !== this.#device) return true;
    const mayBeProtected = (isNear || stat.nlink > 1) && (stat.mode & S_IFMT) !== S_IFDIR;
    if (mayBeProtected && guard.isProtected({ realPath: placeBelow(directory, name).realPath, stat }, 'read')) return true;
    return excludes !== undefined && excludes(textOf(name), textOf(joinPath(directory.path, name)));
  }

  /** Bytes of a file. However many names a file has, it counts once. */
  #file({ path }: Scanned, name: string, stat: Glance): number {
    const size = this.#sizeOf(stat);
    if (stat.nlink > 1) {
      const [device, inode] = [BigInt(stat.dev), BigInt(stat.ino)];
      if (!this.#links.add(device, inode)) return 0;
      if (this.#linked !== undefined) {
        this.#linked.push(device, inode, BigInt(size));
        return 0;
      }
    }
    this.#options.onFile?.(joinPath(path, name), size);
    return size;
  }

  #sizeOf({ size, blocks }: Glance): number {
    return this.#options.apparent ? Math.max(0, size) : blocks * BLOCK;
  }
}
