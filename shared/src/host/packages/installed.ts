/** Which package database a host has, and what is installed according to it. Public files alone. */
import { existsSync } from 'node:fs';
import { join } from 'node:path';
import { StewardError, systemError } from '../../errors.ts';
import { apkFile, readApk } from './apk.ts';
import { dpkgFiles, readDpkg } from './dpkg.ts';
import type { InstalledPackage } from './package.ts';

const RPM_DIRECTORIES = ['/var/lib/rpm', '/usr/lib/sysimage/rpm'];

export interface PackageDatabase {
  readonly kind: 'dpkg' | 'apk';
  /** The installed packages in the order of the database, some at a time. Throws `read_system`. */
  read(): Generator<InstalledPackage[]>;
}

/** The database of a host; dpkg's where there are two. Throws `packages_rpm`, `packages_none`, `read_system`. */
export function findPackageDatabase(root: string): PackageDatabase {
  const files = dpkgFiles(root);
  if (files !== undefined) return { kind: 'dpkg', read: () => readAll(files, (file) => readDpkg(root, file)) };
  const file = apkFile(root);
  if (file !== undefined) return { kind: 'apk', read: () => readAll([file], () => readApk(root, file)) };
  const hasRpm = RPM_DIRECTORIES.some((directory) => existsSync(join(root, directory)));
  throw new StewardError(hasRpm ? 'packages_rpm' : 'packages_none');
}

function* readAll(
  files: readonly string[],
  read: (file: string) => Generator<InstalledPackage[]>,
): Generator<InstalledPackage[]> {
  for (const path of files) {
    try {
      yield* read(path);
    } catch (error) {
      throw systemError('read_system', { path }, error);
    }
  }
}
