/** Modules of the running kernel, from /proc/modules. Public; addresses are zero for ordinary accounts. */
import { errnoOf, systemError } from '../errors.ts';
import { readText } from './procfs.ts';

const FILE = '/proc/modules';

export interface KernelModule {
  readonly name: string;
  /** Bytes, decimal. */
  readonly size: string;
  /** `-` in a kernel that cannot unload modules. */
  readonly used_by_count: string;
  readonly used_by: readonly string[] | null;
  /** `Live`, `Loading` or `Unloading`. */
  readonly state: string;
  readonly address: string;
}

/** In the kernel's order; a kernel without modules has none. Throws `read_system`. */
export async function readModules(root: string): Promise<KernelModule[]> {
  try {
    return parseModules(await readText(root, FILE));
  } catch (error) {
    if (errnoOf(error) === 'ENOENT') return [];
    throw systemError('read_system', { path: FILE }, error);
  }
}

/** Lines `name size count users state address (taints)`; users are a list with a comma behind each, or `-`. */
export function parseModules(text: string): KernelModule[] {
  return text.split('\n').flatMap((line) => {
    const [name, size = '', used_by_count = '', users = '', state = '', address = ''] = line.split(' ');
    if (name === undefined || address === '') return [];
    // `[permanent]` stands among the users of a module that cannot be unloaded, but is none.
    const names = users.split(',').filter((user) => user !== '' && user !== '-' && !user.startsWith('['));
    return [{ name, size, used_by_count, used_by: names.length === 0 ? null : names, state, address }];
  });
}
