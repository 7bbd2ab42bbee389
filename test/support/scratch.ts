/**
 * The temporary directory that one test file gets as its own (TMPDIR): whatever happens to the file, nothing of it stays, and what it
 * did not remove itself is told.
 */
import { chmodSync, mkdtempSync, readFileSync, readdirSync, realpathSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';

/** Tests of what has a /tmp of its own, which this one does not exist in: containers, machines, trees that are installed into. */
const ELSEWHERE = /^test\/(clients|engine|host|machine|package)\//;

export interface Scratch {
  /** What the file's process gets in addition. */
  readonly env: NodeJS.ProcessEnv;
  /** Removes everything. Returns names of what was left, among them mount points, which stay. */
  end(): string[];
}

/** For one file, relative to the repository. */
export function scratchFor(file: string): Scratch {
  if (ELSEWHERE.test(file)) return { env: {}, end: () => [] };
  const directory = realpathSync(mkdtempSync(join(tmpdir(), 'steward-test-')));
  chmodSync(directory, 0o1777); // as /tmp is
  return { env: { TMPDIR: directory }, end: () => endOf(directory) };
}

function endOf(directory: string): string[] {
  const left = readdirSync(directory);
  // Removing goes down into whatever is mounted: then a person has to look.
  const mounts = readFileSync('/proc/self/mountinfo', 'latin1').match(/(?<=^(\S+ ){4})\S+/gm) ?? [];
  const below = mounts.filter((place) => place.startsWith(`${directory}/`));
  if (below.length > 0) return [...left, ...below.map((place) => `${place} is mounted`)];
  rmSync(directory, { recursive: true, force: true });
  return left;
}
