/** Extra members of an answer's `_meta`. */
import type { Rendered } from '../tools/tool.ts';

/** The hash that a caller passes on as `if_sha256`; nothing where it is not known. */
export function sha256Meta(sha256: string | undefined): Pick<Rendered, 'meta'> {
  return sha256 === undefined ? {} : { meta: { 'steward/sha256': sha256 } };
}
