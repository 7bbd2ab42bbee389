/** The package database of apk (apk-package(5), Alpine Linux): blocks of lines `X:value`. A public file. */
import { existsSync } from 'node:fs';
import { join } from 'node:path';
import { linesByPiece } from '../file-lines.ts';
import type { InstalledPackage } from './package.ts';

const FILES = ['/lib/apk/db/installed', '/usr/lib/apk/db/installed'];

/** Undefined when this host has no such database. */
export function apkFile(root: string): string | undefined {
  return FILES.find((file) => existsSync(join(root, file)));
}

/** The installed packages of an open database, some at a time. Throws the system error. */
export function* parseApk(fd: number): Generator<InstalledPackage[]> {
  let fields: { P?: string; V?: string; A?: string } = {};
  const take = (lines: readonly string[]): InstalledPackage[] => {
    const found: InstalledPackage[] = [];
    for (const line of lines) {
      if (line === '') {
        const { P: name, V: version = '', A: architecture = '' } = fields;
        if (name !== undefined) found.push({ name, version, architecture });
        fields = {};
      } else if (line.charAt(1) === ':') {
        const letter = line.charAt(0);
        if (letter === 'P' || letter === 'V' || letter === 'A') fields[letter] = line.slice(2);
      }
    }
    return found;
  };
  for (const lines of linesByPiece(fd)) yield take(lines);
  yield take(['']);
}
