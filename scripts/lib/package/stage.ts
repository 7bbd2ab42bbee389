/**
 * Lays out the package's files below a staging directory, with the modes and the time that they are to have. Build time only.
 */
import { chmodSync, lstatSync, utimesSync, mkdirSync, readFileSync, readdirSync, writeFileSync } from 'node:fs';
import { dirname, join, relative } from 'node:path';
import { gzipSync } from 'node:zlib';
import { ROOT } from '../sources.ts';
import { DIRECTORY_MODES, LAYOUT, type Placed } from './layout.ts';

/** One file to be laid: where it comes from and goes to. */
interface Laid {
  readonly from: string;
  readonly to: string;
}

function filesOf(placed: Placed): readonly Laid[] {
  const { ending } = placed;
  if (ending === undefined) return [{ from: placed.from, to: placed.to }];
  const names = readdirSync(join(ROOT, placed.from), { withFileTypes: true }).filter(
    (entry) => entry.isFile() && entry.name.endsWith(ending),
  );
  return names.map(({ name }) => ({
    from: join(placed.from, name),
    to: join(placed.to, placed.gzip === true ? `${name}.gz` : name),
  }));
}

/** Writes one file, with the directories above it. */
export function lay(stage: string, path: string, content: Uint8Array | string, mode: number): void {
  const file = join(stage, path);
  mkdirSync(dirname(file), { recursive: true, mode: 0o755 });
  writeFileSync(file, content);
  chmodSync(file, mode);
}

/** Lays everything that the layout names. Throws when something of it was not built. */
export function layOut(stage: string): void {
  for (const placed of LAYOUT) {
    for (const { from, to } of filesOf(placed)) {
      const content = readFileSync(join(ROOT, from));
      // Level 9 and no time: lintian asks for the first, equal bytes for the second.
      lay(stage, to, placed.gzip === true ? gzipSync(content, { level: 9 }) : content, placed.mode);
    }
  }
}

/** Every entry below the stage, directories before what is in them; paths begin with a slash. */
export function entriesOf(stage: string): readonly string[] {
  return readdirSync(stage, { recursive: true, withFileTypes: true })
    .map((entry) => `/${relative(stage, join(entry.parentPath, entry.name))}`)
    .sort();
}

/** Gives all entries the modes of directories and the one time. */
export function settle(stage: string, epoch: number): void {
  for (const path of ['/', ...entriesOf(stage)].reverse()) {
    const file = join(stage, path);
    if (lstatSync(file).isDirectory()) chmodSync(file, DIRECTORY_MODES[path] ?? 0o755);
    utimesSync(file, epoch, epoch);
  }
}
