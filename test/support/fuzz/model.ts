/**
 * What the broker must decide about a path, as somebody would who reads the documentation and has never seen the code: grants by
 * whole components of the cleaned path, every symbolic link refused, protected trees closed. Asks the file system by path, which is
 * good enough because nobody else touches the tree.
 */
import { lstatSync, type Stats } from 'node:fs';

export interface PathRule {
  /** Undefined: the grant has no list. */
  readonly prefixes: readonly string[] | undefined;
  readonly protectedTrees: readonly string[];
  /** The operation may name a link as its last component. */
  readonly namesLinks: boolean;
  /** What must exist: the object, its directory, or nothing. */
  readonly need: 'object' | 'parent' | 'any';
}

/** `system`: the kernel has the last word, whatever its words. */
export type Verdict =
  | 'permitted'
  | 'restriction_missing'
  | 'path_not_absolute'
  | 'path_invalid'
  | 'path_restricted'
  | 'symlink_refused'
  | 'protected_object'
  | 'system';

export function verdictOf(path: string, rule: PathRule): Verdict {
  if (rule.prefixes === undefined) return 'restriction_missing';
  if (path[0] !== '/') return 'path_not_absolute';
  if (/\0|\p{Surrogate}/u.test(path)) return 'path_invalid';
  if (Buffer.byteLength(path) >= 4096 || path.split('/').some((name) => Buffer.byteLength(name) > 255)) return 'path_invalid';
  const names = namesOf(path);
  const clean = `/${names.join('/')}`;
  if (!rule.prefixes.some((prefix) => covers(prefix, clean))) return 'path_restricted';
  const reached = walk(names, rule);
  if (reached !== 'permitted') return reached;
  return rule.protectedTrees.some((tree) => covers(tree, clean)) ? 'protected_object' : 'permitted';
}

/** Components as they remain when every `..` has taken the one before it. */
function namesOf(path: string): string[] {
  return path.split('/').reduce<string[]>((names, name) => {
    if (name === '' || name === '.') return names;
    return name === '..' ? names.slice(0, -1) : [...names, name];
  }, []);
}

const covers = (tree: string, path: string): boolean => `${path}/`.startsWith(tree === '/' ? '/' : `${tree}/`);

function walk(names: readonly string[], { need, namesLinks }: PathRule): Verdict {
  for (let depth = 1; depth <= names.length; depth += 1) {
    const last = depth === names.length;
    const entry = look(`/${names.slice(0, depth).join('/')}`);
    if (entry === undefined) return need === 'any' || (need === 'parent' && last) ? 'permitted' : 'system';
    if (entry.isSymbolicLink() && !(last && namesLinks)) return 'symlink_refused';
    if (!last && !entry.isDirectory()) return 'system';
  }
  return 'permitted';
}

function look(path: string): Stats | undefined {
  return lstatSync(path, { throwIfNoEntry: false });
}
