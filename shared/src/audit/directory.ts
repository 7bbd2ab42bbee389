/**
 * The directory of the audit log. It must belong to this process's user alone: whoever else could write there could take records
 * away. It is held open, so that a later exchange of the path changes nothing.
 */
import { closeSync, constants, fstatSync, fsyncSync, mkdirSync, openSync } from 'node:fs';
import { reasonOf, StewardError } from '../errors.ts';

export class AuditDirectory {
  readonly #fd: number;

  private constructor(fd: number) {
    this.#fd = fd;
  }

  /** Makes the directory (0700) when it is missing, and judges it. Throws `audit_unavailable`. */
  static open(path: string): AuditDirectory {
    let fd: number;
    try {
      mkdirSync(path, { recursive: true, mode: 0o700 });
      fd = openSync(path, constants.O_RDONLY | constants.O_DIRECTORY | constants.O_NOFOLLOW);
    } catch (error) {
      throw new StewardError('audit_unavailable', { reason: `${path}: ${reasonOf(error)}` }, { cause: error });
    }
    const { uid, mode } = fstatSync(fd);
    const own = process.geteuid?.() ?? 0;
    if (uid === own && (mode & 0o077) === 0) return new AuditDirectory(fd);
    closeSync(fd);
    const wrong = uid === own ? `has mode ${(mode & 0o7777).toString(8)}, not 700` : `belongs to uid ${uid}, not ${own}`;
    throw new StewardError('audit_unavailable', { reason: `${path} ${wrong}` });
  }

  /** Where the held directory is, whatever happened to its path. */
  get path(): string {
    return `/proc/self/fd/${this.#fd}`;
  }

  at(name: string): string {
    return `${this.path}/${name}`;
  }

  /** Makes a new entry durable. */
  sync(): void {
    fsyncSync(this.#fd);
  }

  close(): void {
    closeSync(this.#fd);
  }
}
