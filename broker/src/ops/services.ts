/** Rows of the allowlist: systemd units. How to read a row: table.ts. */
import { serviceStatus, STATUS_PROPERTIES } from '@steward/shared/ops/resource/service-status.ts';
import { SERVICE_PROPERTIES, servicesList } from '@steward/shared/ops/services/list.ts';
import { servicesManage, UNIT_STATE } from '@steward/shared/ops/services/manage.ts';
import { TIMER_PROPERTIES, timersList } from '@steward/shared/ops/timers/list.ts';
import { none } from '../restrict.ts';
import { byResourceUnit, byUnit } from './restrict-unit.ts';
import type { ProgramUse, Row } from '../row.ts';

const KiB = 1024;
const SYSTEMD = ['/run/systemd/private', '/run/dbus/system_bus_socket'];

function show(properties: readonly string[], unit: string, ...options: readonly string[]): ProgramUse {
  const argv = ['--system', '--no-pager', ...options, 'show', `--property=${properties.join(',')}`, '--', unit];
  return { name: 'systemctl', argv };
}

const CONTROL = ['--system', '--no-pager', '--no-ask-password'];
const MANAGE: readonly ProgramUse[] = [
  show(UNIT_STATE, '<unit>'),
  { name: 'systemctl', argv: [...CONTROL, '[-T]', 'start|stop|restart|reload', '--', '<unit>'] },
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
    touches:     { capabilities: [], programs: [show(SERVICE_PROPERTIES, '*.service', '--all')], sockets: SYSTEMD, paths: [] },
    limits:      { deadlineSeconds: 60, maxResultBytes: 0, maxUploadBytes: 0 },
    cancel:      'stops',
    shown:       ['pattern', 'active_state', 'load_state', 'sub_state'],
  },
  {
    op:          timersList,
    grant:       { tool: 'timers/list' },
    effect:      'read',
    restriction: none,
    touches:     { capabilities: [], programs: [show(TIMER_PROPERTIES, '*.timer', '--all')], sockets: SYSTEMD, paths: [] },
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
    touches:     { capabilities: [], programs: [show(STATUS_PROPERTIES, '<unit>')], sockets: SYSTEMD, paths: [] },
    limits:      { deadlineSeconds: 60, maxResultBytes: 64 * KiB, maxUploadBytes: 0 },
    cancel:      'stops',
    shown:       ['name'],
  },
];
