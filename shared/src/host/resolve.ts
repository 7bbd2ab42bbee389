/** Resolves a path for an unprivileged call: as typed, with the kernel's permissions, links followed where the operation allows. */
import { checkPath } from './clean.ts';
import { traverse } from './traverse.ts';
import { walkPath } from './walk.ts';
import type { PathSpec, PathSubject } from './subject.ts';

/**
 * Resolves a path as typed. Throws `path_not_absolute`, `path_invalid`, `symlink_refused` (last component, where the operation
 * does not take links; any component with `noLinks`) and the spec's failure key.
 */
export function resolveAsKernel(path: string, spec: PathSpec): PathSubject {
  checkPath(path);
  if (spec.noLinks === true) return walkPath(path, spec);
  return traverse({ path, shown: path, spec, follow: true });
}
