/** Which package database a host has, and what is installed according to it. Public files alone. */
import { existsSync } from 'node:fs';
import { join } from 'node:path';
import { StewardError, systemError } from '../../errors.ts';
import { FileMemory } from '../file-memory.ts';
import { apkFile, parseApk } from './apk.ts';
import { dpkgFiles, parseDpkg } from './dpkg.ts';
import type { InstalledPackage } from './package.ts';

const RPM_DIRECTORIES = ['/var/lib/rpm', '/usr/lib/sysimage/rpm'];

export interface PackageDatabase {
  readonly kind: 'dpkg' | 'apk';
  /** The installed packages by name and architecture. `check` is called now and then and may throw. Throws `read_system`. */
  read(check: () => void): readonly InstalledPackage[];
}

/** The database of a host; dpkg's where there are two. Throws `packages_rpm`, `packages_none`, `read_system`. */
export function findPackageDatabase(root: string): PackageDatabase {
  const files = dpkgFiles(root);
  if (files !== undefined) return { kind: 'dpkg', read: (check) => readAll(root, files, parseDpkg, check) };
  const file = apkFile(root);
  if (file !== undefined) return { kind: 'apk', read: (check) => readAll(root, [file], parseApk, check) };
  const hasRpm = RPM_DIRECTORIES.some((directory) => existsSync(join(root, directory)));
  throw new StewardError(hasRpm ? 'packages_rpm' : 'packages_none');
}

type Parse = (fd: number, file: string) => Iterable<readonly InstalledPackage[]>;

/** Packages that a thread remembers at most: some 4 MB. A database changes when packages do, and is asked for more often. */
const MOST_REMEMBERED = 20_000;
const memory = new FileMemory<readonly InstalledPackage[]>({ weigh: ({ length }) => length, most: MOST_REMEMBERED });

function readAll(root: string, files: readonly string[], parse: Parse, check: () => void): readonly InstalledPackage[] {
  const found = files.map((path) => {
    check();
    try {
      return memory.read(join(root, path), (fd) => readOne(parse(fd, path), check));
    } catch (error) {
      throw error instanceof StewardError ? error : systemError('read_system', { path }, error);
    }
  });
  return found.length === 1 ? (found[0] ?? []) : inOrder(found.flat());
}

function readOne(parsed: Iterable<readonly InstalledPackage[]>, check: () => void): readonly InstalledPackage[] {
  const found: InstalledPackage[] = [];
  for (const packages of parsed) {
    check();
    found.push(...packages);
  }
  // A copy, because strings of the original may be parts of the whole text and keep it in memory.
  return JSON.parse(JSON.stringify(inOrder(found))) as InstalledPackage[];
}

/** Sorts before every character of a name. */
const END = '\0';
/** Added to a place it gives all places the same number of digits. */
const PLACES = 10_000_000;

/** Keys are made once and compared by the engine itself, which takes a fraction of the time of a function for every comparison. */
function inOrder(packages: readonly InstalledPackage[]): InstalledPackage[] {
  const keys = packages.map(({ name, architecture }, place) => name + END + architecture + END + String(PLACES + place));
  return keys.sort().flatMap((key) => packages[Number(key.slice(key.lastIndexOf(END) + 1)) - PLACES] ?? []);
}
