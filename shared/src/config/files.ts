/**
 * Reads configuration files safely. Whoever can write them is root in effect, so each file and its directory must belong to root
 * (to the process's own user where that is not root) and must not be writable by group or others. Everything is judged on the
 * opened descriptors, never on a path that could change in between.
 */
import { closeSync, constants, fstatSync, openSync, readSync, type Stats } from 'node:fs';
import { join } from 'node:path';
import { reasonOf } from '../errors.ts';
import { ConfigError } from './types.ts';
import { MAX_CONFIG_BYTES } from './yaml.ts';

const { O_RDONLY, O_DIRECTORY, O_NOFOLLOW, O_NONBLOCK } = constants;

/** Throws when somebody else than root and this process's user could change the object. `what` is `it` or `its directory`. */
function refuseForeign(stat: Stats, file: string, what: string): void {
  const own = process.geteuid?.() ?? 0;
  if (stat.uid !== 0 && stat.uid !== own) {
    const owners = own === 0 ? 'root' : `root or uid ${own}`;
    throw new ConfigError(file, 1, `${what} must be owned by ${owners}, not by uid ${stat.uid}`);
  }
  const mode = stat.mode & 0o7777;
  if ((mode & 0o022) !== 0) {
    throw new ConfigError(
      file,
      1,
      `${what} must not be writable by group or others (its mode is ${mode.toString(8).padStart(4, '0')})`,
    );
  }
}

/** Reads at most one byte more than is allowed, so that a file that grows meanwhile is noticed. */
function readLimited(fd: number, file: string): Buffer {
  const bytes = Buffer.alloc(MAX_CONFIG_BYTES + 1);
  let size = 0;
  for (;;) {
    const count = readSync(fd, bytes, size, bytes.length - size, null);
    size += count;
    if (count === 0) return bytes.subarray(0, size);
    if (size === bytes.length) throw new ConfigError(file, 1, 'larger than 1 MiB');
  }
}

/** Opens; a symbolic link as last component is refused with a reason that says so. */
function openOr(path: string, flags: number, file: string, what: string): number {
  try {
    return openSync(path, flags | O_NONBLOCK);
  } catch (error) {
    const link = (error as NodeJS.ErrnoException).code === 'ELOOP';
    throw new ConfigError(file, 1, link ? `${what} must not be a symbolic link` : `${what} cannot be read: ${reasonOf(error)}`);
  }
}

/** An opened configuration directory that has been judged. */
export class ConfigDirectory {
  readonly path: string;
  readonly #fd: number;

  /** `path` is absolute. Throws ConfigError when it cannot be opened or others could write to it. */
  constructor(path: string) {
    this.path = path;
    this.#fd = openOr(path, O_RDONLY | O_DIRECTORY, path, 'the directory');
    try {
      refuseForeign(fstatSync(this.#fd), path, 'the directory');
    } catch (error) {
      this.close();
      throw error;
    }
  }

  /** Content of the file `name` (a bare name). Throws ConfigError. */
  read(name: string): Buffer {
    const file = join(this.path, name);
    const fd = openOr(`/proc/self/fd/${this.#fd}/${name}`, O_RDONLY | O_NOFOLLOW, file, 'it');
    try {
      const stat = fstatSync(fd);
      if (!stat.isFile()) throw new ConfigError(file, 1, 'it must be a regular file');
      refuseForeign(stat, file, 'it');
      return readLimited(fd, file);
    } finally {
      closeSync(fd);
    }
  }

  /** `read` as text; anything but valid UTF-8 is refused. A byte order mark is kept, so that the text stands for the bytes. */
  readText(name: string): string {
    try {
      return new TextDecoder('utf-8', { fatal: true, ignoreBOM: true }).decode(this.read(name));
    } catch (error) {
      if (error instanceof ConfigError) throw error;
      throw new ConfigError(join(this.path, name), 1, 'is not valid UTF-8');
    }
  }

  close(): void {
    closeSync(this.#fd);
  }
}
