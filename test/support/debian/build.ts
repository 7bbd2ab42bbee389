/**
 * Builds one cached Debian system, as a program of its own so that flock(1) can hold it: `node build.ts NAME`. Root runs
 * this. What is built appears in the cache under its final name only when it is complete. Test only.
 */
import { execFileSync, spawnSync } from 'node:child_process';
import {
  copyFileSync,
  existsSync,
  mkdirSync,
  mkdtempSync,
  readdirSync,
  renameSync,
  rmSync,
  statSync,
  writeFileSync,
} from 'node:fs';
import { dirname, join } from 'node:path';
import { CACHE, placeOf } from './cache.ts';
import { LEFT_OUT, MACHINE, RECIPES, type Recipe } from './recipes.ts';

/** Bytes of the machine's disk; sparse. */
const DISK_SIZE = '3G';
/** What no run used for so long goes: days. */
const KEPT_DAYS = 14;
const DAY_MS = 86_400_000;

/** Lays the recipe's files below a directory, as they are to lie below the root. */
function layFiles(recipe: Recipe, directory: string): void {
  for (const [path, content] of Object.entries(recipe.files)) {
    const place = join(directory, path);
    mkdirSync(dirname(place), { recursive: true, mode: 0o755 });
    writeFileSync(place, content, { mode: content.startsWith('#!') ? 0o755 : 0o644 });
  }
}

/** Throws with the end of mmdebstrap's own report. */
function makeRoot(recipe: Recipe, files: string, root: string): void {
  const args = [
    ...['--variant=minbase', '--mode=root', `--include=${recipe.packages.join(',')}`, `--dpkgopt=path-exclude=${LEFT_OUT}`],
    `--essential-hook=sync-in "${files}" /`,
    ...recipe.hooks.map((line) => `--customize-hook=${line}`),
    ...[recipe.suite, root],
  ];
  const { status, stderr, error } = spawnSync('setpriv', ['--pdeathsig', 'TERM', '--', 'mmdebstrap', ...args], {
    encoding: 'utf8',
    stdio: ['ignore', 'ignore', 'pipe'],
  });
  if (error !== undefined) throw error;
  if (status !== 0) throw new Error(`mmdebstrap ended with ${status}:\n${stderr.trimEnd().split('\n').slice(-25).join('\n')}`);
}

/** Makes a disk of the root, and puts kernel and initial file system beside it. */
function makeDisk(root: string, place: string): void {
  const boot = readdirSync(join(root, 'boot'));
  for (const [kind, to] of [
    ['vmlinuz-', 'vmlinuz'],
    ['initrd.img-', 'initrd.img'],
  ] as const) {
    const file = boot.find((name) => name.startsWith(kind));
    if (file === undefined) throw new Error(`the root has no /boot/${kind}*`);
    copyFileSync(join(root, 'boot', file), join(place, to));
  }
  execFileSync('mke2fs', ['-q', '-t', 'ext4', '-d', root, join(place, 'disk.img'), DISK_SIZE]);
}

/** Removes what no run needed for long, and what a build left that was stopped: whoever holds the lock is the only builder. */
function removeUnused(): void {
  for (const name of readdirSync(CACHE)) {
    const place = join(CACHE, name);
    const isOld =
      RECIPES.some((recipe) => name.startsWith(`${recipe.name}-`)) && Date.now() - statSync(place).mtimeMs > KEPT_DAYS * DAY_MS;
    if (isOld || name.startsWith('building-')) rmSync(place, { recursive: true, force: true });
  }
}

function build(recipe: Recipe): void {
  const began = performance.now();
  const work = mkdtempSync(join(CACHE, 'building-'));
  try {
    const [files, root, made] = [join(work, 'files'), join(work, 'root'), join(work, 'made')];
    for (const directory of [files, made]) mkdirSync(directory, { mode: 0o755 });
    layFiles(recipe, files);
    makeRoot(recipe, files, root);
    if (recipe === MACHINE) makeDisk(root, made);
    else renameSync(root, join(made, 'root'));
    renameSync(made, placeOf(recipe));
  } finally {
    rmSync(work, { recursive: true, force: true });
  }
  console.error(`built ${placeOf(recipe)} in ${((performance.now() - began) / 1000).toFixed(0)} s`);
}

process.umask(0o022);
const recipe = RECIPES.find(({ name }) => name === process.argv[2]);
if (recipe === undefined) throw new Error(`usage: build.ts ${RECIPES.map(({ name }) => name).join('|')}`);
try {
  removeUnused();
  // Another run may have built it while this one waited for the lock.
  if (!existsSync(placeOf(recipe))) build(recipe);
} catch (error) {
  console.error((error as Error).message);
  process.exitCode = 1;
}
