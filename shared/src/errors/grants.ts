/** Error texts of what a grant or a restriction refuses. Part of the registry in ../errors.ts. */
import type { ErrorEntry } from './entry.ts';

export const GRANTS = {
  not_granted: {
    code: 'NOT_GRANTED',
    text: 'Permission denied: user {user} is not authorized to use privileged: true for {tool} (no grant for it in grants.yaml)',
  },
  watch_not_granted: {
    code: 'NOT_GRANTED',
    text: 'user {user} is not authorized to watch the audit log (grant audit/watch in grants.yaml)',
  },
  reload_not_granted: {
    code: 'NOT_GRANTED',
    text: 'user {user} is not authorized to run daemon/reload-config (grant it in grants.yaml)',
  },
  resource_not_granted: {
    code: 'NOT_GRANTED',
    text: 'user {user} is not authorized to read {uri} as root: resources: in grants.yaml',
  },
  resource_read_refused: {
    code: 'NOT_GRANTED',
    text: '{reason} (user {user} is not authorized to read {uri} as root: resources: in grants.yaml)',
  },
  path_restricted: { code: 'RESTRICTED', text: 'user {user} is not authorized to run {tool} on path {path} as root' },
  restriction_missing: {
    code: 'RESTRICTED',
    text: 'Permission denied: the {tool} grant of user {user} in grants.yaml has no {key}: list, so it permits nothing',
  },
  protected_object: { code: 'PROTECTED', text: 'refusing to touch a protected object: {path}' },
  symlink_refused: { code: 'REFUSED_SYMLINK', text: 'refusing to follow a symbolic link: {component} -> {target}' },
  not_regular: { code: 'NOT_REGULAR', text: 'not a regular file: {path}' },
  hard_link: {
    code: 'REFUSED_HARDLINK',
    text: 'refusing to change a hard-linked file while fs.protected_hardlinks is 0: {path}',
  },
} as const satisfies Record<string, ErrorEntry>;
