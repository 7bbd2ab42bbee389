/** Rows of the allowlist: processes. How to read a row: table.ts. */
import { processesDelete } from '@steward/shared/ops/processes/delete.ts';
import { processesList } from '@steward/shared/ops/processes/list.ts';
import { processLimits, processOpenFiles } from '@steward/shared/ops/processes/resource.ts';
import { processesTop } from '@steward/shared/ops/processes/top.ts';
import { byResourceOwners, bySignalAndOwner } from './restrict-process.ts';
import { none } from '../restrict.ts';
import type { Row } from '../row.ts';

const KiB = 1024;

/** SYS_PTRACE in these rows: without it a host with `hidepid` shows root no processes but its own (proc(5)). */
// prettier-ignore
export const PROCESS_ROWS: readonly Row[] = [
  {
    op:          processesList,
    grant:       { tool: 'processes/list' },
    effect:      'read',
    restriction: none,
    touches:     { capabilities: ['SYS_PTRACE'], programs: [], sockets: [], paths: ['/proc/<pid>/{stat,status,cmdline}', '/etc/passwd'] },
    limits:      { deadlineSeconds: 60, maxResultBytes: 0, maxUploadBytes: 0 },
    cancel:      'stops',
    shown:       ['user', 'pid', 'sort_by', 'limit'],
  },
  {
    op:          processesTop,
    grant:       { tool: 'processes/top' },
    effect:      'read',
    restriction: none,
    touches:     { capabilities: ['SYS_PTRACE'], programs: [], sockets: [], paths: ['/proc/<pid>/{stat,status,cmdline}', '/proc/{stat,meminfo,loadavg,uptime}', '/run/utmp', '/etc/passwd'] },
    limits:      { deadlineSeconds: 60, maxResultBytes: 0, maxUploadBytes: 0 },
    cancel:      'stops',
    shown:       ['interval_ms', 'sort_by', 'user', 'limit'],
  },
  {
    op:          processesDelete,
    grant:       { tool: 'processes/delete' },
    effect:      'write',
    restriction: bySignalAndOwner,
    touches:     { capabilities: ['KILL', 'SYS_PTRACE'], programs: [], sockets: [], paths: ['/proc/<pid>/{stat,status}', '/etc/passwd'] },
    limits:      { deadlineSeconds: 60, maxResultBytes: 4 * KiB, maxUploadBytes: 0 },
    cancel:      'finishes',
    shown:       ['pid', 'signal', 'dry_run'],
    reports:     ['signal', 'comm', 'owner'],
  },

  // ── Resources process://{pid}/..: only after the kernel refused the frontend ───────────────────────────────────────────────
  {
    op:          processLimits,
    grant:       { resource: 'process://', uri: 'process://{pid}/limits' },
    effect:      'read',
    restriction: byResourceOwners,
    touches:     { capabilities: ['SYS_PTRACE'], programs: [], sockets: [], paths: ['/proc/<pid>/limits', '/etc/passwd'] },
    limits:      { deadlineSeconds: 60, maxResultBytes: 16 * KiB, maxUploadBytes: 0 },
    cancel:      'stops',
    shown:       ['pid'],
  },
  {
    op:          processOpenFiles,
    grant:       { resource: 'process://', uri: 'process://{pid}/open_files' },
    effect:      'read',
    restriction: byResourceOwners,
    touches:     { capabilities: ['DAC_READ_SEARCH', 'SYS_PTRACE'], programs: [], sockets: [], paths: ['/proc/<pid>/fd', '/etc/passwd'] },
    limits:      { deadlineSeconds: 60, maxResultBytes: 0, maxUploadBytes: 0 },
    cancel:      'stops',
    shown:       ['pid'],
  },
];
