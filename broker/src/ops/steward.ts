/** Rows of the allowlist: kernel parameters, and steward itself. How to read a row: table.ts. */
import { authSudoRules } from '@steward/shared/ops/auth/sudo-rules.ts';
import { daemonReloadConfig } from '@steward/shared/ops/daemon/reload-config.ts';
import { kernelSystemControl } from '@steward/shared/ops/kernel/system-control.ts';
import { bySysctlKey, none } from '../restrict.ts';
import type { Row } from '../row.ts';
import { limits, MiB, touches } from './columns.ts';

// prettier-ignore
export const STEWARD_ROWS: readonly Row[] = [
  // ── Kernel ─────────────────────────────────────────────────────────────────────────────────────────────────────────────────
  {
    op: kernelSystemControl, grant: { tool: 'kernel/system-control', refusal: 'sysctl_needs_grant' },
    effect: 'write',         writesWith: 'value',               restriction: bySysctlKey,                       cancel: 'finishes',
    touches: touches([], ['/proc/sys']),
    limits:  limits(60, 16 * MiB),
    shown:   ['key', 'value', 'read_all', 'dry_run'],
    reports: ['action', 'previous'],
  },

  // ── Steward itself ─────────────────────────────────────────────────────────────────────────────────────────────────────────
  {
    op: authSudoRules,       grant: { everyone: true },         effect: 'read',   restriction: none,            cancel: 'stops',
    touches: touches([], []),
    limits:  limits(60, MiB),
    shown:   [],
  },
  {
    op: daemonReloadConfig,  grant: { tool: 'daemon/reload-config', refusal: 'reload_not_granted' },
    effect: 'daemon',                                           restriction: none,                              cancel: 'finishes',
    touches: touches(['DAC_READ_SEARCH'], ['daemon.yaml', 'users.yaml', 'grants.yaml']),
    limits:  limits(60, MiB),
    shown:   ['dry_run'],
    reports: ['closed_sessions'],
  },
];
