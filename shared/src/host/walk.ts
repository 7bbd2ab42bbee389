/** Resolves a path for root, and for chmod and chown always: no symbolic link is followed anywhere, whoever made it. */
import { cleanPath } from './clean.ts';
import { traverse } from './traverse.ts';
import type { PathSpec, PathSubject } from './subject.ts';

export { cleanPath } from './clean.ts';

/**
 * Walks a cleaned path from `/` on descriptors. Throws `symlink_refused` naming the component and its target, and the spec's
 * failure key for everything the kernel refuses. The subject holds descriptors until it is closed.
 */
export function walkPath(path: string, spec: PathSpec, shown: string = path): PathSubject {
  return traverse({ path: cleanPath(path), shown, spec, follow: false });
}
