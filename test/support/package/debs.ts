/** Debian packages of this checkout, built for a test and removed with it. Test only. */
import { execFileSync } from 'node:child_process';
import { mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { after } from 'node:test';
import { ROOT } from '../paths.ts';

/** Where this file's packages are; removed after the last test. */
export function packageDirectory(): string {
  const directory = mkdtempSync(join(tmpdir(), 'steward-debs-'));
  after(() => rmSync(directory, { recursive: true, force: true }));
  return directory;
}

/** Builds a package that calls itself `version`, less compressed than the one that is shipped; gives its path. */
export function buildPackage(directory: string, version: string): string {
  const args = [join(ROOT, 'scripts/deb.ts'), '--fast', '--version', version, '--output', directory];
  return execFileSync(process.execPath, args, { encoding: 'utf8', stdio: ['ignore', 'pipe', 'inherit'] }).trim();
}
