/** One call of every row, or several where a row has several sides. Test only. */
import type { Stage } from './stage.ts';

export interface Case {
  readonly op: string;
  readonly args: object;
  readonly upload?: Buffer;
  /** Errors that this machine may rightly answer, because it lacks what the row is about. */
  readonly or?: readonly string[];
}

/** Where systemd does not run, its tools are started and told so. */
const NO_SYSTEMD = { or: ['systemd_unreachable'] } as const;

export function cases({ tree, victim, account, disk, container }: Stage): readonly Case[] {
  const file = `${tree}/file`;
  const on = (op: string, path: string, more: object = {}): Case => ({ op, args: { path, ...more } });
  return [
    on('files/list', tree),
    on('files/read', file),
    on('files/find', tree, { name: '*' }),
    on('files/filetype', file),
    { ...on('files/create', `${tree}/new`), upload: Buffer.from('new\n') },
    { ...on('files/create', `${tree}/large`), upload: Buffer.alloc(3 << 20) },
    { ...on('files/update', file, { append: true }), upload: Buffer.from('more\n') },
    { ...on('files/update', file, { start_line: 1, end_line: 1 }), upload: Buffer.from('first\n') },
    on('files/chmod', file, { mode: '640' }),
    on('files/chmod', tree, { mode: 'u+rwX', recursive: true }),
    on('files/chown', file, { owner: 'nobody' }),
    on('files/chown', `${tree}/deep`, { owner: '1:1', recursive: true }),
    on('resource/file-content', file),
    on('resource/file-stat', file),
    on('resource/file-type', file),
    on('disks/free', tree),
    on('disks/usage', tree),
    { op: 'disks/list', args: {} },
    { op: 'disks/mounts', args: {} },
    { op: 'disks/health', args: { device: disk }, or: ['smartctl_missing', 'smartctl_failed'] },
    { op: 'processes/list', args: {} },
    { op: 'processes/top', args: { interval_ms: 100 } },
    { op: 'processes/delete', args: { pid: victim, signal: 'SIGTERM' } },
    { op: 'resource/process-limits', args: { pid: process.pid } },
    { op: 'resource/process-open-files', args: { pid: process.pid } },
    { op: 'network/connections', args: {} },
    { op: 'services/manage', args: { service: 'nothing-of-ours.service', action: 'stop' }, ...NO_SYSTEMD },
    { op: 'services/list', args: {}, ...NO_SYSTEMD },
    { op: 'timers/list', args: {}, ...NO_SYSTEMD },
    { op: 'resource/service-status', args: { name: 'cron.service' }, ...NO_SYSTEMD },
    { op: 'system/packages', args: { name: 'dpkg' } },
    { op: 'users/list', args: {} },
    { op: 'resource/memory-devices', args: {}, or: ['read_system'] },
    { op: 'logs/journal-control', args: { lines: 1 }, or: ['journal_failed'] },
    { op: 'logs/journal-control', args: { unit: 'cron', since: '-1h', boot: true, reverse: true }, or: ['journal_failed'] },
    { op: 'logs/dmesg', args: {} },
    { op: 'logs/logins', args: {} },
    { op: 'kernel/system-control', args: { key: 'vm.swappiness' } },
    { op: 'kernel/system-control', args: { key: 'net.ipv4.ip_default_ttl', value: '64' } },
    { op: 'cron/manage', args: { user: account, privileged: true }, upload: Buffer.from('# of a test\n') },
    { op: 'cron/manage', args: { user: account, privileged: true } },
    { op: 'resource/crontab', args: { user: account } },
    { op: 'cron/manage', args: { user: account, privileged: true }, upload: Buffer.alloc(0) },
    ...dockerCases(container),
    { op: 'auth/sudo-rules', args: {} },
    { op: 'audit/watch', args: { seconds: 1 } },
    { op: 'daemon/reload-config', args: {} },
  ];
}

function dockerCases(container: string): readonly Case[] {
  return [
    { op: 'docker/containers', args: { all: true } },
    { op: 'docker/manage', args: { container, action: 'stop' } },
    { op: 'docker/logs', args: { container } },
    { op: 'docker/exec', args: { container, command: ['x'] } },
    { op: 'docker/images', args: {} },
    { op: 'docker/volumes', args: {} },
    { op: 'docker/networks', args: {} },
    { op: 'docker/prune', args: { target: 'images' } },
    { op: 'resource/docker-container', args: { container, view: 'inspect' } },
    { op: 'resource/docker-image', args: { name: 'x:1' } },
    { op: 'resource/docker-volume', args: { name: 'data' } },
    { op: 'resource/docker-network', args: { name: 'net' } },
  ];
}
