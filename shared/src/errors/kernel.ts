/** Error texts of kernel parameters and system facts. Part of the registry in ../errors.ts. */
import type { ErrorEntry } from './entry.ts';

export const KERNEL = {
  read_os_release: { code: 'SYSTEM', text: 'failed to read os-release: {reason}' },
  read_system: { code: 'SYSTEM', text: 'failed to read {path}: {reason}' },
  sysctl_key_required: { code: 'BAD_ARGS', text: 'key argument is required unless read_all is true' },
  sysctl_key_invalid: {
    code: 'BAD_ARGS',
    text: 'invalid key "{key}": expected a sysctl name like net.ipv4.ip_forward',
  },
  sysctl_value_invalid: { code: 'BAD_ARGS', text: 'invalid value: must be a single line' },
  sysctl_read: { code: 'SYSTEM', text: 'cannot read {key}: {reason}' },
  sysctl_stat: { code: 'SYSTEM', text: 'cannot stat {key}: {reason}' },
  sysctl_write: { code: 'SYSTEM', text: 'cannot write {key}: {reason}' },
  sysctl_restricted: {
    code: 'RESTRICTED',
    text: 'writing {key} is not permitted for this user (not in sysctl.write_keys in grants.yaml)',
  },
  sysctl_needs_grant: {
    code: 'NOT_GRANTED',
    text: 'Permission denied: writing {key} needs privileged: true and a kernel/system-control grant in grants.yaml',
  },
} as const satisfies Record<string, ErrorEntry>;
