/** Error texts of the disks tools. Part of the registry in ../errors.ts. */
import type { ErrorEntry } from './entry.ts';

export const DISKS = {
  stat_filesystem: { code: 'SYSTEM', text: 'failed to stat filesystem: {path}: {reason}' },
  no_such_device: { code: 'NOT_FOUND', text: 'no such block device "{device}" (see disks/list for device names)' },
  device_name_invalid: {
    code: 'BAD_ARGS',
    text: 'invalid device name "{device}": expected a kernel name such as sda, not a path',
  },
  smartctl_missing: {
    code: 'TOOL_MISSING',
    text: 'smartctl is not installed on this host - install the smartmontools package',
  },
  smartctl_failed: { code: 'SYSTEM', text: 'smartctl failed: {reason}' },
  device_restricted: {
    code: 'RESTRICTED',
    text: "not authorized to read device {device}: it is not in this tool's devices: list in grants.yaml",
  },
  no_partitions: {
    code: 'NOT_FOUND',
    text: 'no partitions found for device "{device}" (check disks/list for valid device names)',
  },
} as const satisfies Record<string, ErrorEntry>;
