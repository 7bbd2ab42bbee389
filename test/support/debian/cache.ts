/**
 * The cache of built Debian systems, and what this machine must have for them. Builds are named after their recipe, made by one
 * process at a time, and kept between runs; losing them costs a minute. Test only.
 */
import { execFile } from 'node:child_process';
import { accessSync, constants, existsSync, mkdirSync, utimesSync } from 'node:fs';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { promisify } from 'node:util';
import { type Recipe, keyOf } from './recipes.ts';

/** STEWARD_TEST_CACHE chooses another place, for instance an empty one. */
export const CACHE = process.env['STEWARD_TEST_CACHE'] ?? '/var/cache/steward-test';
const BUILD = fileURLToPath(new URL('build.ts', import.meta.url));
const PROGRAM_DIRECTORIES = ['/usr/bin', '/usr/sbin', '/bin', '/sbin'];

/** Where the build of a recipe is or will be. */
export function placeOf(recipe: Recipe): string {
  return join(CACHE, keyOf(recipe));
}

/** The build of a recipe, made now if there is none yet. Rejects with the build's own words. */
export async function builtSystem(recipe: Recipe): Promise<string> {
  const place = placeOf(recipe);
  if (existsSync(place)) {
    utimesSync(place, new Date(), new Date()); // In use: see what build.ts removes.
    return place;
  }
  mkdirSync(CACHE, { recursive: true, mode: 0o755 });
  // A test that is killed takes its build with it; the lock ends with the process that holds it.
  const locked = ['flock', '--no-fork', join(CACHE, 'lock'), process.execPath, BUILD, recipe.name];
  try {
    await promisify(execFile)('setpriv', ['--pdeathsig', 'TERM', '--', ...locked]);
  } catch (error) {
    const { stderr, message } = error as Error & { stderr?: string };
    throw new Error(`the ${recipe.name} system could not be built: ${stderr === undefined || stderr === '' ? message : stderr}`, {
      cause: error,
    });
  }
  return place;
}

/** Why systems cannot be booted here, in plain words; undefined when they can. `programs`: what must be installed. */
export function unableToBoot(programs: readonly string[]): string | undefined {
  if (process.getuid?.() !== 0) return 'needs root';
  if (!existsSync('/etc/debian_version')) return 'needs Debian';
  const missing = [...programs, 'mmdebstrap', 'flock', 'setpriv'].filter((name) => !isInstalled(name));
  return missing.length === 0 ? undefined : `needs ${missing.join(', ')}`;
}

function isInstalled(program: string): boolean {
  return PROGRAM_DIRECTORIES.some((directory) => {
    try {
      accessSync(join(directory, program), constants.X_OK);
      return true;
    } catch {
      return false;
    }
  });
}
