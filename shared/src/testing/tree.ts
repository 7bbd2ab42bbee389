/** For unit tests alone: directories to work in, and random trees with awkward names. */
import { execFileSync } from 'node:child_process';
import {
  chmodSync,
  linkSync,
  mkdirSync,
  mkdtempSync,
  readdirSync,
  rmSync,
  symlinkSync,
  truncateSync,
  utimesSync,
  writeFileSync,
} from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';

/** A fresh directory that is removed after `use`. */
export async function withDirectory<T>(use: (directory: string) => T | Promise<T>): Promise<T> {
  const directory = mkdtempSync(join(tmpdir(), 'steward-test-'));
  try {
    return await use(directory);
  } finally {
    // what a test took from itself it must have back to clean up
    execFileSync('chmod', ['-R', 'u+rwX', directory]);
    rmSync(directory, { recursive: true, force: true });
  }
}

/** Number of descriptors that this process has open. */
export function openDescriptors(): number {
  return readdirSync('/proc/self/fd').length;
}

/** A repeatable source of numbers in [0, 1) (mulberry32). */
export function random(seed: number): () => number {
  let state = seed;
  return () => {
    state = (state + 0x6d2b79f5) | 0;
    let value = Math.imul(state ^ (state >>> 15), 1 | state);
    value = (value + Math.imul(value ^ (value >>> 7), 61 | value)) ^ value;
    return ((value ^ (value >>> 14)) >>> 0) / 2 ** 32;
  };
}

/** Names that have gone wrong somewhere before; byte strings without `/` and NUL. */
const AWKWARD = [
  'a',
  'a-b',
  'a.txt',
  'a b',
  '-n',
  '--help',
  'new\nline',
  'quo"te\'s',
  'tab\t',
  '.hidden',
  '\xff\xfe',
  '\xc3\xa9',
  '*',
  '[x]',
  '\\',
  'x'.repeat(255),
];

/** Fills a directory (an ASCII path) with `count` files, directories and links. Repeatable for a seed. */
export function fillTree(root: string, seed: number, count: number): void {
  const next = random(seed);
  const pick = <T>(items: readonly T[]): T => items[Math.floor(next() * items.length)] as T;
  const directories = [root];
  for (let index = 0; index < count; index++) {
    const name = next() < 0.4 ? pick(AWKWARD) : `n${String(Math.floor(next() * 1000))}`;
    const path = Buffer.from(`${pick(directories)}/${name}`, 'latin1');
    try {
      makeEntry(path, next, root, directories);
    } catch (error) {
      if (!['EEXIST', 'ENAMETOOLONG'].includes((error as NodeJS.ErrnoException).code ?? '')) throw error;
    }
  }
}

function makeEntry(path: Buffer, next: () => number, root: string, directories: string[]): void {
  const kind = next();
  if (kind < 0.3) {
    mkdirSync(path);
    if (path.length < 600) directories.push(path.toString('latin1'));
  } else if (kind < 0.4) {
    symlinkSync(next() < 0.5 ? root : 'nowhere', path);
  } else if (kind < 0.45) {
    writeFileSync(path, '', { flag: 'wx' });
    linkSync(path, Buffer.concat([path.subarray(0, -1), Buffer.from('~')]));
  } else {
    writeFileSync(path, '', { flag: 'wx' });
    truncateSync(path, Math.floor(next() * 5000));
    const age = next() * 30 * 86_400;
    utimesSync(path, Date.now() / 1000 - age, Date.now() / 1000 - age);
    chmodSync(path, Math.floor(next() * 0o1000));
  }
}
