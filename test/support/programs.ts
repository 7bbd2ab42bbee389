/**
 * The runtime and the bundles where another account can execute them: this checkout may lie below a directory that only its owner
 * can enter.
 */
import { chmodSync, constants, copyFileSync, cpSync, mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { DIST } from './paths.ts';

export interface Programs {
  readonly node: string;
  /** Directory of the bundles. */
  readonly dist: string;
}

const OWN: Programs = { node: process.execPath, dist: DIST };
let copies: Programs | undefined;

/** The programs for processes of that account; undefined for the own one. Copies are removed when this process ends. */
export function programsFor(uid: number | undefined): Programs {
  if (uid === undefined || uid === process.getuid?.()) return OWN;
  copies ??= copy();
  return copies;
}

function copy(): Programs {
  const directory = mkdtempSync(join(tmpdir(), 'steward-programs-'));
  process.once('exit', () => rmSync(directory, { recursive: true, force: true }));
  chmodSync(directory, 0o755);
  const programs = { node: join(directory, 'node'), dist: join(directory, 'dist') };
  copyFileSync(OWN.node, programs.node, constants.COPYFILE_FICLONE);
  chmodSync(programs.node, 0o755);
  cpSync(OWN.dist, programs.dist, { recursive: true });
  return programs;
}
