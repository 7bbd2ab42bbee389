/**
 * Reading the kernel's text files (proc(5), sysfs(5)) and the few configuration files that describe the host. Every function
 * takes the root directory as a parameter, so that tests work on fixture trees. Reads go through the thread pool, because some of
 * these files take the kernel milliseconds to make; a few values that it has at hand are read at once.
 */
import { readFileSync } from 'node:fs';
import { readFile } from 'node:fs/promises';
import { join } from 'node:path';
import { systemError } from '../errors.ts';

/** A path below the root. Putting both together takes a tenth of the time of some reads, and on a real host there is nothing to be put. */
export function below(root: string, path: string): string {
  return root === '/' ? path : join(root, path);
}

/** The whole file as text; bytes that are not UTF-8 become U+FFFD. Throws the raw system error. */
export function readText(root: string, path: string): Promise<string> {
  return readFile(below(root, path), 'utf8');
}

/** As readText, but fails with `read_system` naming the path without the root. */
export async function readSystem(root: string, path: string): Promise<string> {
  try {
    return await readText(root, path);
  } catch (error) {
    throw systemError('read_system', { path }, error);
  }
}

/**
 * As readSystem, without the thread pool: for the few files of procfs whose short content the kernel has at hand (loadavg,
 * uptime). The way through the pool takes some 130 µs of processor time without a JIT, this one 7.
 */
export function readAtHand(root: string, path: string): string {
  try {
    return readFileSync(below(root, path), 'utf8');
  } catch (error) {
    throw systemError('read_system', { path }, error);
  }
}

/** The file without its final newline, or undefined when it cannot be read: for attributes that not every host has. */
export async function readAttribute(root: string, path: string): Promise<string | undefined> {
  try {
    return (await readText(root, path)).replace(/\n$/, '');
  } catch {
    return undefined;
  }
}

/** Those of a directory's names that are whole numbers (of processes, of descriptors), in order. */
export function numbersAmong(names: readonly string[]): number[] {
  return Array.from(Float64Array.from(names, Number).filter(Number.isInteger).sort());
}
