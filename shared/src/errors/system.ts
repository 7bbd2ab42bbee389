/** Error texts of packages, kernel log, logins and hardware. Part of the registry in ../errors.ts. */
import type { ErrorEntry } from './entry.ts';

export const SYSTEM = {
  packages_rpm: { code: 'TOOL_MISSING', text: 'rpm-based hosts are not supported by this tool' },
  packages_none: { code: 'TOOL_MISSING', text: 'no supported package database found (dpkg or apk)' },
  log_level_invalid: {
    code: 'BAD_ARGS',
    text: 'invalid level "{level}": expected comma-separated emerg, alert, crit, err, warn, notice, info, debug',
  },
  kernel_log: { code: 'SYSTEM', text: 'failed to read kernel log: /dev/kmsg: {reason}' },
  login_type_invalid: { code: 'BAD_ARGS', text: 'invalid type "{type}": must be "success" or "failed"' },
  login_user_invalid: { code: 'BAD_ARGS', text: 'invalid user "{user}"' },
  login_records: { code: 'SYSTEM', text: 'failed to read login records: {file}: {reason}' },
  dmi_unavailable: { code: 'NOT_FOUND', text: 'DMI data not available on this system\n' },
} as const satisfies Record<string, ErrorEntry>;
