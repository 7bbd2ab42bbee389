/**
 * Tells directories in which nobody but root can exchange an entry: what is in one is reached by its path as surely as below a held
 * descriptor, in half the time. Only for calls without privilege: a container's root may write to directories of the host that are
 * root's, and must not lead the host's root anywhere.
 */
import { glanceAt, isPathUsable, sameObject, type Glance } from './descriptors.ts';
import { BTRFS, EXT, FileSystemTypes, OVERLAYFS, TMPFS, XFS } from './file-system-types.ts';
import { isType, S_IFDIR } from './modes.ts';

/**
 * File systems of which the kernel itself says who owns what: of others a server or a program says so, and may say otherwise next
 * time.
 */
const LOCAL: ReadonlySet<number> = new Set([EXT, XFS, BTRFS, TMPFS, OVERLAYFS]);
const WRITABLE_BY_OTHERS = 0o022;

export class FixedDirectories {
  readonly #types: FileSystemTypes;

  constructor(types = new FileSystemTypes()) {
    this.#types = types;
  }

  /**
   * Whether nobody but root can exchange what is in the directory of this status, to which `at` leads. An access control list shows
   * in the bits of the group (acl(5)).
   */
  has(at: string, { dev, uid, mode }: Pick<Glance, 'dev' | 'uid' | 'mode'>): boolean {
    const isRoots = uid === 0 && (mode & WRITABLE_BY_OTHERS) === 0 && isType(mode, S_IFDIR);
    return isRoots && LOCAL.has(this.#types.typeOf(at, dev));
  }

  /**
   * Whether the same holds for a directory and all above it, from the root down: then its path leads to it for good. `stat` is that of
   * the held object.
   */
  holdsPath(realPath: string, stat: Glance): boolean {
    if (!isPathUsable(realPath)) return false;
    try {
      if (!this.#isFixed('/')) return false;
      for (let end = realPath.indexOf('/', 1); end > 0; end = realPath.indexOf('/', end + 1)) {
        if (!this.#isFixed(realPath.slice(0, end))) return false;
      }
      const now = glanceAt(realPath);
      return now !== undefined && this.has(realPath, now) && sameObject(now, stat);
    } catch {
      return false; // moved meanwhile
    }
  }

  #isFixed(path: string): boolean {
    const stat = glanceAt(path);
    return stat !== undefined && this.has(path, stat);
  }
}
