/** Error texts of configuration, resources and programs. Part of the registry in ../errors.ts. */
import type { ErrorEntry } from './entry.ts';

export const CONFIG = {
  reload_failed: {
    code: 'CONFIG',
    text: 'config not reloaded, the current one stays in effect: {reason}',
  },
  unknown_resource: { code: 'UNKNOWN_RESOURCE', text: 'unknown resource: {uri}' },
  program_failed: { code: 'SYSTEM', text: '{program} failed: {reason}' },
  program_missing: { code: 'TOOL_MISSING', text: '{program} is not installed on this host' },
} as const satisfies Record<string, ErrorEntry>;
