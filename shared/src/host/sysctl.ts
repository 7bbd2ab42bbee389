/**
 * Kernel parameters: their names and the tree of files behind them (sysctl(8), proc_sys(5)). The name is the only thing that
 * becomes a path here, so its components are judged against a pattern that leaves no way out of /proc/sys.
 */
import { constants } from 'node:fs';
import { open, readdir, readFile } from 'node:fs/promises';
import { join } from 'node:path';
import { StewardError } from '../errors.ts';

/** Directory of the parameters, below the root. */
const SYSCTL_DIRECTORY = 'proc/sys';

const COMPONENT = /^[A-Za-z0-9_.:@-]+$/;
const MAX_KEY_LENGTH = 512;

/** A parameter's one canonical name, and its path below /proc/sys. */
export interface SysctlKey {
  /** Dots separate; a dot inside a component (an interface `eth0.100`) is written `/`. Grants are matched against this. */
  readonly dotted: string;
  /** For instance `net/ipv4/ip_forward`. */
  readonly path: string;
}

/**
 * Reads a name in either spelling: the first separator decides. If it is `/`, slashes separate and dots are literal; else dots
 * separate and a slash stands for a literal dot. Throws `sysctl_key_invalid`.
 */
export function sysctlKey(key: string): SysctlKey {
  const slashed = /[./]/.exec(key)?.[0] === '/';
  const components = slashed ? key.split('/') : key.split('.').map((component) => component.replaceAll('/', '.'));
  const valid = components.every((name) => COMPONENT.test(name) && name !== '.' && name !== '..');
  if (!valid || key.length > MAX_KEY_LENGTH) throw new StewardError('sysctl_key_invalid', { key });
  return keyOf(components);
}

function keyOf(components: readonly string[]): SysctlKey {
  return { dotted: components.map((name) => name.replaceAll('.', '/')).join('.'), path: components.join('/') };
}

export function parameterFile(root: string, key: SysctlKey): string {
  return join(root, SYSCTL_DIRECTORY, key.path);
}

/** The value without its final newline. Throws the system error. */
export async function readParameter(root: string, key: SysctlKey): Promise<string> {
  return (await readFile(parameterFile(root, key), 'utf8')).replace(/\n$/, '');
}

/**
 * Opens the parameter for writing and, unless there is nothing to write, writes the value in one write(2): the kernel takes it
 * from a single call. `begin` is called in between. The file is neither created nor truncated, and a link is not followed: only
 * what the kernel itself put there is written. Throws the system error.
 */
export async function writeParameter(root: string, key: SysctlKey, change?: { value: string; begin: () => void }): Promise<void> {
  const file = await open(parameterFile(root, key), constants.O_WRONLY | constants.O_NOFOLLOW);
  try {
    if (change === undefined) return;
    change.begin();
    await file.write(Buffer.from(`${change.value}\n`));
  } finally {
    await file.close();
  }
}

/** One parameter of a subtree; `directory` is set for a directory that could not be listed. */
export interface SysctlEntry extends SysctlKey {
  readonly directory: boolean;
}

/**
 * Every parameter below a directory in the byte order of the dotted names. `below` is a path under /proc/sys, empty for all.
 * Directories are listed only when their turn comes, so that memory holds one listing per level.
 */
export async function* walkSysctl(root: string, below: string): AsyncGenerator<SysctlEntry> {
  const start = below === '' ? [] : below.split('/');
  const waiting: { components: readonly string[]; directory: boolean }[] = [{ components: start, directory: true }];
  for (let next = waiting.pop(); next !== undefined; next = waiting.pop()) {
    const { components, directory } = next;
    const children = directory ? await list(root, components) : undefined;
    if (children === undefined) yield { ...keyOf(components), directory };
    else waiting.push(...children.reverse());
  }
}

type Child = { components: readonly string[]; directory: boolean };

/** Children in order, or undefined when the directory cannot be listed. */
async function list(root: string, components: readonly string[]): Promise<Child[] | undefined> {
  let entries;
  try {
    entries = await readdir(join(root, SYSCTL_DIRECTORY, ...components), { withFileTypes: true });
  } catch {
    return undefined;
  }
  return entries
    .filter((entry) => entry.isDirectory() || entry.isFile())
    .map((entry) => ({ entry, order: Buffer.from(orderOf(entry.name, entry.isDirectory())) }))
    .sort((a, b) => Buffer.compare(a.order, b.order))
    .map(({ entry }) => ({ components: [...components, entry.name], directory: entry.isDirectory() }));
}

/** A directory sorts as its name with the dot that follows it, so that the whole subtree comes out in order. */
function orderOf(name: string, directory: boolean): string {
  return name.replaceAll('.', '/') + (directory ? '.' : '');
}
