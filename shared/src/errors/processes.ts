/** Error texts of the processes tools and resources. Part of the registry in ../errors.ts. */
import type { ErrorEntry } from './entry.ts';

export const PROCESSES = {
  signal_invalid: { code: 'BAD_ARGS', text: 'invalid signal "{signal}" ({allowed})' },
  protected_process: { code: 'PROTECTED', text: 'refusing to signal protected PID {pid}' },
  no_such_process: { code: 'NOT_FOUND', text: 'no such process: {pid}' },
  signal_not_permitted: {
    code: 'NEEDS_ROOT',
    text: 'not permitted to signal process {pid} (owned by another user - retry with privileged: true if authorized)',
  },
  signal_restricted: {
    code: 'RESTRICTED',
    text: "not authorized to send {signal}: it is not in this tool's signals: list in grants.yaml",
  },
  owner_restricted: {
    code: 'RESTRICTED',
    text: "not authorized to signal process {pid}: its owner {owner} is not in this tool's owners: list in grants.yaml",
  },
  pid_invalid: { code: 'BAD_ARGS', text: 'invalid PID: {pid}' },
  process_uri_invalid: {
    code: 'BAD_ARGS',
    text: 'invalid process URI format, expected process://{pid}/{target}',
  },
  process_target: { code: 'BAD_ARGS', text: 'unsupported target: {target}' },
  read_target: { code: 'SYSTEM', text: 'failed to read {target}: {reason}' },
} as const satisfies Record<string, ErrorEntry>;
