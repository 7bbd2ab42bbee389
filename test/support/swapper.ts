/**
 * The attacker of the race tests, a process of its own: it replaces a directory, or a file, by a symbolic link to the outside and
 * back, as fast as the kernel lets it, until its standard input ends. Prints that it begins, and how many swaps it made.
 *
 *   node swapper.ts dir|file PATH OUTSIDE
 */
import { renameSync, rmSync, symlinkSync, unlinkSync } from 'node:fs';

const [kind, path, outside] = process.argv.slice(2);
if ((kind !== 'dir' && kind !== 'file') || path === undefined || outside === undefined) process.exit(2);

let swaps = 0;
let running = true;
process.stdin.resume().on('end', () => (running = false));

function away(place: string, target: string): void {
  renameSync(place, `${place}.real`);
  attempt(() => symlinkSync(target, place));
}

/** The victim may have made something in the empty place meanwhile; that goes. */
function back(place: string): void {
  attempt(() => unlinkSync(place));
  while (!attempt(() => renameSync(`${place}.real`, place))) attempt(() => rmSync(place, { recursive: true, force: true }));
}

function attempt(act: () => void): boolean {
  try {
    act();
    return true;
  } catch {
    return false;
  }
}

function burst(): void {
  for (let round = 0; round < 500; round += 1) {
    away(path as string, outside as string);
    back(path as string);
    swaps += 2;
  }
  if (running) setImmediate(burst);
  else process.stdout.write(`${swaps}\n`);
}
process.stdout.write('begins\n');
burst();
