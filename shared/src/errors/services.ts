/** Error texts of services, timers and the journal. Part of the registry in ../errors.ts. */
import type { ErrorEntry } from './entry.ts';

export const SERVICES = {
  unit_action: { code: 'BAD_ARGS', text: 'unsupported action: {action} (start, stop, restart, reload, enable, disable)' },
  unit_invalid: { code: 'BAD_ARGS', text: 'invalid unit name "{unit}"' },
  unit_job_refused: { code: 'SYSTEM', text: 'failed to initiate {action} job: {reason}' },
  unit_files: { code: 'SYSTEM', text: 'failed to {action} unit: {reason}' },
  systemd_unreachable: { code: 'SYSTEM', text: 'failed to reach systemd: {reason}' },
  unit_restricted: {
    code: 'RESTRICTED',
    text: "not authorized to {action} {unit}: the unit is not in this tool's units: list in grants.yaml",
  },
  action_restricted: {
    code: 'RESTRICTED',
    text: "not authorized to {action} {unit}: the action is not in this tool's actions: list in grants.yaml",
  },
  own_unit: { code: 'PROTECTED', text: "refusing to control steward's own unit: {unit}" },
  unit_job_failed: { code: 'SYSTEM', text: '{job} completed with status: {status}{detail}' },
  service_not_found: { code: 'NOT_FOUND', text: 'service not found: {name}' },
  journal_argument: { code: 'BAD_ARGS', text: 'invalid {name} "{value}"' },
  journal_failed: { code: 'SYSTEM', text: 'journalctl error: {reason}, stderr: {stderr}' },
} as const satisfies Record<string, ErrorEntry>;
