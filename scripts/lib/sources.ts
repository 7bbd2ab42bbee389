/**
 * Finds the project's own source files, hashes them so that the build steps run only when something changed, and replaces files
 * that are made. Build time only.
 */
import { createHash } from 'node:crypto';
import { type Dirent, readFileSync, readdirSync, renameSync, writeFileSync } from 'node:fs';
import { join, relative } from 'node:path';
import { fileURLToPath } from 'node:url';

/** The repository's directory, without a slash at its end. */
export const ROOT: string = fileURLToPath(new URL('../..', import.meta.url)).replace(/\/$/, '');

/** The workspaces, in the order of their dependence. */
export const WORKSPACES = ['shared', 'broker', 'frontend', 'cli', 'certs'] as const;

const SKIPPED = new Set(['node_modules', 'generated', 'dist', '.git', '.run']);

/**
 * Every file below the folders whose name the filter takes, relative to the repository, sorted. Folders that do not exist
 * hold nothing; generated, installed and built files are left out.
 */
export function filesIn(folders: readonly string[], filter: (name: string) => boolean): string[] {
  return folders
    .flatMap((folder) => collect(join(ROOT, folder), filter))
    .map((file) => relative(ROOT, file))
    .sort();
}

function collect(directory: string, filter: (name: string) => boolean): string[] {
  return entriesOf(directory).flatMap((entry) => {
    const path = join(directory, entry.name);
    if (entry.isDirectory()) return SKIPPED.has(entry.name) ? [] : collect(path, filter);
    return entry.isFile() && filter(entry.name) ? [path] : [];
  });
}

function entriesOf(directory: string): Dirent[] {
  try {
    return readdirSync(directory, { withFileTypes: true });
  } catch (error) {
    if ((error as NodeJS.ErrnoException).code === 'ENOENT') return [];
    throw error;
  }
}

export const isTest = (name: string): boolean => name.endsWith('.test.ts');

/** True for the name of a source file that is part of the product. */
export const isProduct = (name: string): boolean => name.endsWith('.ts') && !isTest(name);

/** SHA-256 of one file (absolute path), lower-case hex; `missing` when there is none. */
export function fileHash(path: string): string {
  try {
    return createHash('sha256').update(readFileSync(path)).digest('hex');
  } catch (error) {
    if ((error as NodeJS.ErrnoException).code === 'ENOENT') return 'missing';
    throw error;
  }
}

/** One digest over names and contents of files, given relative to the repository. */
export function digestOf(files: readonly string[]): string {
  const hash = createHash('sha256');
  for (const file of files) hash.update(`${file}\0${fileHash(join(ROOT, file))}\n`);
  return hash.digest('hex');
}

/** Replaces a file at once, so that a process that starts meanwhile reads the old or the new one. */
export function replaceFile(path: string, text: string): void {
  writeFileSync(`${path}.new`, text, { mode: 0o644 });
  renameSync(`${path}.new`, path);
}
