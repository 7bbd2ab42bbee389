/**
 * The package database of dpkg (dpkg(1), deb-control(5)): /var/lib/dpkg/status, and one file per package in status.d, where images
 * without a package manager keep them. Public files.
 */
import { existsSync, readdirSync } from 'node:fs';
import { join } from 'node:path';
import { systemError } from '../../errors.ts';
import { linesByPiece } from '../file-lines.ts';
import type { InstalledPackage } from './package.ts';

const STATUS = '/var/lib/dpkg/status';
const DIRECTORY = '/var/lib/dpkg/status.d';

/** Undefined when this host has no such database. */
export function dpkgFiles(root: string): string[] | undefined {
  const files = existsSync(join(root, STATUS)) ? [STATUS] : [];
  if (!existsSync(join(root, DIRECTORY))) return files.length === 0 ? undefined : files;
  try {
    // Lists of checksums lie beside the descriptions.
    const names = readdirSync(join(root, DIRECTORY)).filter((name) => !name.endsWith('.md5sums'));
    return [...files, ...names.map((name) => `${DIRECTORY}/${name}`)];
  } catch (error) {
    throw systemError('read_system', { path: DIRECTORY }, error);
  }
}

/** The packages that an open file says are installed, some at a time. `file` is one of `dpkgFiles`. Throws the system error. */
export function* parseDpkg(fd: number, file: string): Generator<InstalledPackage[]> {
  // In status.d the file itself says that the package is installed; it may have no status.
  const parser = new ParagraphParser(file !== STATUS);
  for (const lines of linesByPiece(fd)) yield parser.take(lines);
  yield parser.take(['']);
}

/** Fields that matter, by their first letters. */
const FIELD = /^(Package|Status|Version|Architecture):[ \t]*(.*)$/;
const FIRST_LETTERS = new Set(['P', 'S', 'V', 'A']);

class ParagraphParser {
  readonly #installedWithoutStatus: boolean;
  #fields: Record<string, string> = {};

  constructor(installedWithoutStatus: boolean) {
    this.#installedWithoutStatus = installedWithoutStatus;
  }

  /** The packages whose paragraphs end in these lines. */
  take(lines: readonly string[]): InstalledPackage[] {
    const found: InstalledPackage[] = [];
    for (const line of lines) {
      if (line === '') this.#endParagraph(found);
      else if (FIRST_LETTERS.has(line.charAt(0))) {
        const [, name, value = ''] = FIELD.exec(line) ?? [];
        if (name !== undefined) this.#fields[name] = value.trimEnd();
      }
    }
    return found;
  }

  #endParagraph(found: InstalledPackage[]): void {
    const { Package: name, Status: status, Version: version = '', Architecture: architecture = '' } = this.#fields;
    this.#fields = {};
    if (name === undefined) return;
    const installed = status === undefined ? this.#installedWithoutStatus : status.split(/\s+/)[2] === 'installed';
    if (installed) found.push({ name, version, architecture });
  }
}
