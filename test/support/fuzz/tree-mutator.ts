/**
 * A process of its own that never leaves a tree alone: directories, files and links to the outside take each other's names, as fast as
 * the kernel lets it, until standard input ends. Prints how many changes it made.
 *
 *   node tree-mutator.ts TREE OUTSIDE SEED UID
 *
 * It becomes UID first, which may change the tree and nothing outside: links lead it there too.
 */
import { mkdirSync, renameSync, rmSync, symlinkSync, unlinkSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { Random } from './random.ts';

const [tree = '', outside = '', seed = '1', uid = ''] = process.argv.slice(2);
process.setgroups?.([]);
process.setgid?.(Number(uid));
process.setuid?.(Number(uid));
const random = new Random(Number(seed));
const NAMES = ['a', 'b', 'c'];

let running = true;
process.stdin.resume().on('end', () => (running = false));

/** A place one to four components below the tree. */
const place = (): string => join(tree, ...Array.from({ length: 1 + random.below(4) }, () => random.pick(NAMES)));

const CHANGES: readonly (() => void)[] = [
  () => mkdirSync(place()),
  () => mkdirSync(place()),
  () => writeFileSync(place(), 'inside', { flag: 'wx' }),
  () => symlinkSync(outside, place()),
  () => symlinkSync(join(outside, random.pick(NAMES)), place()),
  () => symlinkSync('../../..', place()),
  () => renameSync(place(), place()),
  () => renameSync(place(), place()),
  () => renameSync(place(), place()),
  () => unlinkSync(place()),
  () => rmSync(place(), { recursive: true, force: true }),
];

let changes = 0;
function burst(): void {
  for (let round = 0; round < 500; round += 1) {
    try {
      random.pick(CHANGES)();
      changes += 1;
    } catch {
      // not there, or there already
    }
  }
  if (running) setImmediate(burst);
  else process.stdout.write(`${changes}\n`);
}
burst();
