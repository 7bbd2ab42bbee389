/**
 * The path walk under both resolvers: one component at a time from `/`, each opened with `O_PATH|O_NOFOLLOW` below the directory
 * that is already held. As root every symbolic link ends it. Unprivileged it follows links as the kernel would, but by their
 * text: the magic links of procfs (`/proc/self/fd/7`) are no way to objects that have no path.
 */
import { errnoOf, StewardError, systemError } from '../errors.ts';
import { ROOT, closeAll, linkTarget, openDirectory, openEntry, openRoot, statEntry, statHeld } from './descriptors.ts';
import type { BigIntStats } from 'node:fs';
import { byteString, escapeName, joinPath, textOf } from './names.ts';
import { makeSubject } from './subjects.ts';
import type { PathSpec, PathSubject } from './subject.ts';

/** As many links as the kernel follows in one path (path_resolution(7)). */
const MAX_LINKS = 40;
const S_ISVTX_AND_OTHERS_WRITE = 0o1002n;

interface TraversalOptions {
  /** Already checked. */
  readonly path: string;
  /** How messages and the subject name the path. */
  readonly shown: string;
  readonly spec: PathSpec;
  readonly follow: boolean;
}

/** Resolves a path to a subject, or throws StewardError; leaves no descriptor behind when it throws. */
export function traverse(options: TraversalOptions): PathSubject {
  const traversal = new Traversal(options);
  try {
    return traversal.run();
  } catch (error) {
    traversal.close();
    throw error;
  }
}

class Traversal {
  readonly #options: TraversalOptions;
  /** The directory reached so far; `ROOT` is only opened where it is needed itself. */
  #dir: number | undefined = ROOT;
  /** Its path as walked, for messages; byte string. */
  #trail = '/';
  /** Components still to go, the next one at the end; byte strings. */
  readonly #todo: string[] = [];
  /** How many of them were behind the last link: more than that are the link's own. */
  #behindLink = Infinity;
  #mustBeDirectory: boolean;
  #links = 0;

  constructor(options: TraversalOptions) {
    this.#options = options;
    this.#mustBeDirectory = options.path.endsWith('/');
    this.#push(byteString(options.path));
  }

  run(): PathSubject {
    for (;;) {
      const name = this.#todo.pop();
      if (name === undefined) return this.#reachedDirectory();
      const last = this.#todo.length === 0 && !this.#mustBeDirectory && name !== '..';
      const subject = last ? this.#last(name) : this.#through(name);
      if (subject !== undefined) return subject;
    }
  }

  close(): void {
    closeAll(this.#dir);
    this.#dir = undefined;
  }

  #push(path: string): void {
    const names = path.split('/');
    for (let at = names.length - 1; at >= 0; at--) {
      const name = names[at] ?? '';
      if (name !== '' && name !== '.') this.#todo.push(name);
    }
  }

  /** One step into a directory; a subject only when nothing more exists. */
  #through(name: string): PathSubject | undefined {
    try {
      const next = openDirectory(this.#held(), name);
      this.#enter(next, joinPath(this.#trail, name));
      return undefined;
    } catch (error) {
      const errno = errnoOf(error);
      if ((errno === 'ENOTDIR' || errno === 'ELOOP') && this.#takeLink(name)) return undefined;
      if (errno === 'ENOENT' && this.#mayLack()) return this.#absent([name, ...this.#todo.toReversed()]);
      throw this.#directoryFailure(error, name);
    }
  }

  /** The last step. */
  #last(name: string): PathSubject | undefined {
    let fd: number | undefined;
    try {
      fd = openEntry(this.#held(), name);
      const stat = statHeld(fd);
      if (!stat.isSymbolicLink() || this.#holdsLink()) return this.#found(fd, stat, name);
      closeAll(fd);
      fd = undefined;
      if (this.#takeLink(name)) return undefined;
      throw Object.assign(new Error('link vanished'), { code: 'ENOENT' });
    } catch (error) {
      closeAll(fd);
      if (errnoOf(error) === 'ENOENT' && this.#options.spec.need !== 'object') return this.#absent([name]);
      throw this.#failure(error);
    }
  }

  /** Whether a symbolic link as last component is itself the object. */
  #holdsLink(): boolean {
    const { follow, spec } = this.#options;
    return follow ? spec.lastLink === 'object' : spec.rootMayNameLink === true;
  }

  /** Follows or refuses an entry that may be a link. False when it is none. */
  #takeLink(name: string): boolean {
    const target = linkTarget(this.#held(), name);
    if (target === undefined) return false;
    const { follow, spec, shown } = this.#options;
    const last = this.#todo.length === 0 && !this.#mustBeDirectory;
    if (!follow || (last && spec.lastLink !== 'follow')) {
      const component = follow ? shown : textOf(joinPath(this.#trail, name));
      // both names may be somebody else's choice
      throw new StewardError('symlink_refused', { component: escapeName(component), target: escapeName(textOf(target)) });
    }
    if (++this.#links > MAX_LINKS || target === '') throw this.#failure(systemFailure('ELOOP'));
    if (this.#isUntrusted(name)) throw this.#failure(systemFailure('EACCES'));
    if (last && target.endsWith('/')) this.#mustBeDirectory = true;
    this.#behindLink = this.#todo.length;
    this.#push(target);
    if (target.startsWith('/')) this.#enter(ROOT, '/');
    return true;
  }

  /** proc_sys_fs(5) protected_symlinks: in a sticky directory that all may write, only links of oneself or of its owner count. */
  #isUntrusted(name: string): boolean {
    const directory = statHeld(this.#descriptor());
    if ((directory.mode & S_ISVTX_AND_OTHERS_WRITE) !== S_ISVTX_AND_OTHERS_WRITE) return false;
    const link = statEntry(this.#held(), name);
    return link !== undefined && link.uid !== directory.uid && Number(link.uid) !== process.geteuid?.();
  }

  /** Missing directories are fine when they may be made: never those that a link points to, and no `..` below one. */
  #mayLack(): boolean {
    const rest = this.#todo;
    if (this.#options.spec.need !== 'any' || this.#mustBeDirectory) return false;
    return rest.length < this.#behindLink && !rest.includes('..');
  }

  #enter(fd: number, trail: string): void {
    closeAll(this.#dir);
    this.#dir = fd;
    this.#trail = trail;
  }

  #held(): number {
    if (this.#dir === undefined) throw new Error('the traversal is over');
    return this.#dir;
  }

  /** The directory reached so far, in any case as a descriptor. */
  #descriptor(): number {
    if (this.#held() === ROOT) this.#dir = openRoot();
    return this.#held();
  }

  #found(fd: number, stat: BigIntStats, name: string): PathSubject {
    const parent = this.#options.spec.need === 'object' ? undefined : this.#descriptor();
    const subject = makeSubject({ path: this.#options.shown, fd, stat, parentFd: parent, missing: [], name: textOf(name) });
    if (parent === undefined) closeAll(this.#dir);
    this.#dir = undefined;
    return subject;
  }

  #reachedDirectory(): PathSubject {
    const subject = makeSubject({
      path: this.#options.shown,
      fd: this.#descriptor(),
      parentFd: undefined,
      missing: [],
      name: '',
    });
    this.#dir = undefined;
    return subject;
  }

  #absent(names: readonly string[]): PathSubject {
    const missing = names.map(textOf);
    const subject = makeSubject({
      path: this.#options.shown,
      fd: undefined,
      parentFd: this.#descriptor(),
      missing,
      name: missing.at(-1) ?? '',
    });
    this.#dir = undefined;
    return subject;
  }

  #failure(error: unknown): StewardError {
    return systemError(this.#options.spec.failure, { path: this.#options.shown }, error);
  }

  #directoryFailure(error: unknown, name: string): StewardError {
    const key = this.#options.spec.directoryFailure;
    if (key === undefined) return this.#failure(error);
    return systemError(key, { path: escapeName(textOf(joinPath(this.#trail, name))) }, error);
  }
}

/** An error like the kernel's, for what it would have refused. */
function systemFailure(code: 'ELOOP' | 'EACCES'): Error {
  return Object.assign(new Error(code), { code });
}
