/** Rows of the allowlist: systemd units. How to read a row: table.ts. */
import { serviceStatus } from '@steward/shared/ops/resource/service-status.ts';
import { servicesList } from '@steward/shared/ops/services/list.ts';
import { servicesManage } from '@steward/shared/ops/services/manage.ts';
import { timersList } from '@steward/shared/ops/timers/list.ts';
import { none } from '../restrict.ts';
import { byResourceUnit, byUnit } from '../restrict-unit.ts';
import type { ProgramUse, Row } from '../row.ts';

const KiB = 1024;
const SYSTEMD = ['/run/systemd/private', '/run/dbus/system_bus_socket'];

function show(properties: string, unit: string, ...options: readonly string[]): ProgramUse {
  return { name: 'systemctl', argv: ['--system', '--no-pager', ...options, 'show', `--property=${properties}`, '--', unit] };
}

const CONTROL = ['--system', '--no-pager', '--no-ask-password'];
const MANAGE: readonly ProgramUse[] = [
  show('Id,LoadState,ActiveState,SubState', '<unit>'),
  { name: 'systemctl', argv: [...CONTROL, '-T', 'start|stop|restart|reload', '--', '<unit>'] },
  { name: 'systemctl', argv: [...CONTROL, '--no-reload', 'enable', '--force', '--', '<unit>'] },
  { name: 'systemctl', argv: [...CONTROL, '--no-reload', 'disable', '--', '<unit>'] },
];

// prettier-ignore
export const SERVICE_ROWS: readonly Row[] = [
  {
    op:          servicesManage,
    grant:       { tool: 'services/manage' },
    effect:      'write',
    restriction: byUnit,
    touches:     { capabilities: [], programs: MANAGE, sockets: SYSTEMD, paths: [] },
    limits:      { deadlineSeconds: 600, maxResultBytes: 64 * KiB, maxUploadBytes: 0 },
    cancel:      'finishes',
    shown:       ['service', 'action', 'dry_run'],
    reports:     ['active_state', 'job', 'status', 'install', 'changes'],
  },
  {
    op:          servicesList,
    grant:       { tool: 'services/list' },
    effect:      'read',
    restriction: none,
    touches:     { capabilities: [], programs: [show('<properties>', '*.service', '--all')], sockets: SYSTEMD, paths: [] },
    limits:      { deadlineSeconds: 60, maxResultBytes: 0, maxUploadBytes: 0 },
    cancel:      'stops',
    shown:       ['pattern', 'active_state', 'load_state', 'sub_state'],
  },
  {
    op:          timersList,
    grant:       { tool: 'timers/list' },
    effect:      'read',
    restriction: none,
    touches:     { capabilities: [], programs: [show('<properties>', '*.timer', '--all')], sockets: SYSTEMD, paths: [] },
    limits:      { deadlineSeconds: 60, maxResultBytes: 0, maxUploadBytes: 0 },
    cancel:      'stops',
    shown:       ['pattern', 'active_state'],
  },
  // ── Resource service://..: only after systemd refused the frontend ─────────────────────────────────────────────────────────
  {
    op:          serviceStatus,
    grant:       { resource: 'service://', uri: 'service://{name}/status' },
    effect:      'read',
    restriction: byResourceUnit,
    touches:     { capabilities: [], programs: [show('<properties>', '<unit>')], sockets: SYSTEMD, paths: [] },
    limits:      { deadlineSeconds: 60, maxResultBytes: 64 * KiB, maxUploadBytes: 0 },
    cancel:      'stops',
    shown:       ['name'],
  },
];
