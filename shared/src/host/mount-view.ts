/**
 * Where the file systems that this process sees are mounted, for the guard: one object can be seen under several paths, and only the
 * kernel's list of mounts says which. What is in the list was chosen by root.
 */
import { readFileSync } from 'node:fs';
import { isWithin } from './clean.ts';
import { unescapeOctal } from './mountinfo.ts';

const LIST = '/proc/self/mountinfo';

/** One mount (proc_pid_mountinfo(5)). */
export interface Place {
  /** `major:minor` of the file system. */
  readonly device: string;
  /** The directory of the file system that is to be seen at `point`. */
  readonly root: string;
  readonly point: string;
  readonly type: string;
}

export class MountView {
  readonly #read: () => string;
  #text = '';
  #places: readonly Place[] = [];

  /** `read` gives the kernel's list; another than this process's own only in tests. */
  constructor(read: () => string = readOwnList) {
    this.#read = read;
  }

  /** All mounts as they were at the last look. The same array as before while nothing was mounted or unmounted. */
  get places(): readonly Place[] {
    return this.#places;
  }

  /** Reads the kernel's list again. */
  look(): void {
    const text = this.#read();
    if (text !== this.#text) this.#places = parse(text);
    this.#text = text;
  }

  /** The paths below which the content of a directory is to be seen, itself first. It need not exist. */
  aliasesOf(directory: string): string[] {
    const home = this.find(directory);
    if (home === undefined) return [directory];
    const inside = below(home.root, directory, home.point);
    const others = this.#places
      .filter(({ device }) => device === home.device)
      .flatMap(({ root, point }) => {
        if (isWithin(inside, root)) return [below(point, inside, root)];
        return isWithin(root, inside) ? [point] : [];
      });
    return [...new Set([directory, ...others])];
  }

  /** The mount that a path lies on: the innermost, and of several at one point the last. */
  find(path: string): Place | undefined {
    return innermost(this.#places, path);
  }
}

/** Of some mounts the one that a path lies on: the innermost, and of several at one point the last. */
export function innermost(places: readonly Place[], path: string): Place | undefined {
  let found: Place | undefined;
  for (const place of places) {
    if (isWithin(path, place.point) && place.point.length >= (found?.point.length ?? 0)) found = place;
  }
  return found;
}

/** `path` as it lies below `from`, put below `to`. */
export function below(to: string, path: string, from: string): string {
  const rest = path.slice(from === '/' ? 0 : from.length);
  return to === '/' ? rest || '/' : `${to}${rest === '/' ? '' : rest}`;
}

function readOwnList(): string {
  try {
    return readFileSync(LIST, 'utf8');
  } catch {
    return '';
  }
}

/** Lines of `ID PARENT MAJOR:MINOR ROOT MOUNT-POINT OPTIONS OPTIONAL... - TYPE SOURCE SUPER-OPTIONS`. */
function parse(text: string): Place[] {
  return text.split('\n').flatMap((line) => {
    const [, , device, root, point] = line.split(' ', 5);
    const type = /^.*? - (\S+) /.exec(line)?.[1];
    if (device === undefined || root === undefined || point === undefined || type === undefined) return [];
    return [{ device, root: unescapeOctal(root), point: unescapeOctal(point), type }];
  });
}
