/**
 * The allowlist: everything that runs as root, one row each, and nothing else does. An operation that is not here cannot be asked
 * for; asking ends the connection.
 *
 * How to read a row. `reads` changes nothing, `writes` may change this host, `serves` answers a resource that the kernel refused to
 * the frontend. Then: the operation (shared/src/ops: the same module that runs unprivileged in the frontend, with the schema of its
 * arguments); on which object the grant must hold, judged on the object that was reached and not on the text that was typed; the
 * longest time in seconds; the largest result in bytes (0: streamed without a cap); what it needs of the system, of which the
 * broker's capabilities and the programs it may execute are the union; the arguments that the audit record shows. Who may use a row
 * is the grant of the tool of that name in grants.yaml, or what the last column says. Data only, frozen.
 *
 * Adding a row: docs/ARCHITECTURE.md, "Adding a tool". After any change: make allowlist, and read the difference.
 */
import type { Row } from '@steward/shared/catalogue/row.ts';
import { auditWatch } from '@steward/shared/ops/audit/watch.ts';
import { authSudoRules } from '@steward/shared/ops/auth/sudo-rules.ts';
import { cronManage, MAX_CRONTAB_BYTES } from '@steward/shared/ops/cron/manage.ts';
import { daemonReloadConfig } from '@steward/shared/ops/daemon/reload-config.ts';
import { devicesMemory } from '@steward/shared/ops/devices/memory.ts';
import { disksFree } from '@steward/shared/ops/disks/free.ts';
import { disksHealth } from '@steward/shared/ops/disks/health.ts';
import { disksList } from '@steward/shared/ops/disks/list.ts';
import { disksMounts } from '@steward/shared/ops/disks/mounts.ts';
import { disksUsage } from '@steward/shared/ops/disks/usage.ts';
import { filesChmod } from '@steward/shared/ops/files/chmod.ts';
import { filesChown } from '@steward/shared/ops/files/chown.ts';
import { filesCreate } from '@steward/shared/ops/files/create.ts';
import { filesFiletype } from '@steward/shared/ops/files/filetype.ts';
import { filesFind } from '@steward/shared/ops/files/find.ts';
import { filesList } from '@steward/shared/ops/files/list.ts';
import { filesRead } from '@steward/shared/ops/files/read.ts';
import { fileContent, fileStat, fileType } from '@steward/shared/ops/files/resource.ts';
import { filesUpdate } from '@steward/shared/ops/files/update.ts';
import { kernelSystemControl } from '@steward/shared/ops/kernel/system-control.ts';
import { logsDmesg } from '@steward/shared/ops/logs/dmesg.ts';
import { journalControl } from '@steward/shared/ops/logs/journal-control.ts';
import { logsLogins } from '@steward/shared/ops/logs/logins.ts';
import { networkConnections } from '@steward/shared/ops/network/connections.ts';
import { processesDelete } from '@steward/shared/ops/processes/delete.ts';
import { processesList } from '@steward/shared/ops/processes/list.ts';
import { processLimits, processOpenFiles } from '@steward/shared/ops/processes/resource.ts';
import { processesTop } from '@steward/shared/ops/processes/top.ts';
import { crontabResource } from '@steward/shared/ops/resource/crontab.ts';
import { serviceStatus } from '@steward/shared/ops/resource/service-status.ts';
import { servicesList } from '@steward/shared/ops/services/list.ts';
import { servicesManage } from '@steward/shared/ops/services/manage.ts';
import { systemPackages } from '@steward/shared/ops/system/packages.ts';
import { timersList } from '@steward/shared/ops/timers/list.ts';
import { usersList } from '@steward/shared/ops/users/list.ts';
import { KiB, MiB, needs, reads, serves, writes } from './ops/columns.ts';
import { COPY_ATTRIBUTES, CRONTAB, JOURNALCTL, SHOW, SMARTCTL, SYSTEMCTL } from './ops/programs.ts';
import { DOCKER_ROWS } from './ops/docker.ts';
import { byCrontab, byCrontabResource } from './ops/restrict-cron.ts';
import { byDevice } from './ops/restrict-device.ts';
import { byResourceOwners, bySignalAndOwner } from './ops/restrict-process.ts';
import { byResourceUnit, byUnit } from './ops/restrict-unit.ts';
import { byPaths, byResourcePaths, bySysctlKey, byWholeResource, none } from './restrict.ts';

// ── What rows need of the system, and the arguments that several of them show ───────────────────────────────────────────────────
const GRANTED = ['what `paths` covers, but the protected objects'];
const LISTED = ['what the `file://` list covers, but the protected objects'];
const READ_GRANTED = needs(['DAC_READ_SEARCH'], GRANTED);
const READ_LISTED = needs(['DAC_READ_SEARCH'], LISTED);
/** Without SYS_PTRACE a host with `hidepid` shows root no processes but its own, and init's mounts to nobody (proc(5)). */
const TRACE = (...paths: string[]): Row['touches'] => needs(['SYS_PTRACE'], paths);
const UNITS = (programs: typeof SYSTEMCTL): Row['touches'] =>
  needs([], [], programs, ['/run/systemd/private', '/run/dbus/system_bus_socket']);
const SPOOL = ['/etc/passwd', '/var/spool/cron', '/etc/crontabs'];
const TREE_REPORT = ['changed', 'unchanged', 'symlinks', 'protected', 'errors'];

// prettier-ignore
const rows: readonly Row[] = [
  // ── Files ────────────── on which object  seconds  bytes   needs                                        shown in the record
  reads(filesList,           byPaths,         300,     0,      READ_GRANTED,                                ['path']),
  reads(filesRead,           byPaths,         120, 17 * MiB,   READ_GRANTED,                                ['path', 'start_line', 'end_line', 'offset', 'limit']),
  reads(filesFind,           byPaths,         600,     0,      READ_GRANTED,                                ['path', 'name', 'type', 'mtime', 'size', 'max_depth']),
  reads(filesFiletype,       byPaths,          60,  4 * KiB,   READ_GRANTED,                                ['path']),
  writes(filesCreate,        byPaths,         120, 64 * KiB,   needs(['DAC_OVERRIDE', 'FOWNER'], GRANTED),  ['path', 'if_sha256', 'dry_run'],
    { uploadBytes: 64 * MiB, reports: ['action', 'old_size', 'size', 'sha256'] }),
  writes(filesUpdate,        byPaths,         120, 64 * KiB,   needs(['DAC_OVERRIDE', 'CHOWN', 'FOWNER', 'FSETID'], GRANTED, COPY_ATTRIBUTES),
    ['path', 'append', 'start_line', 'end_line', 'if_sha256', 'dry_run'], { uploadBytes: 64 * MiB, reports: ['action', 'start', 'end', 'sha256'] }),
  writes(filesChmod,         byPaths,         600,     0,      needs(['DAC_READ_SEARCH', 'FOWNER', 'FSETID'], GRANTED),
    ['path', 'mode', 'recursive', 'dry_run'], { reports: TREE_REPORT }),
  writes(filesChown,         byPaths,         600,     0,      needs(['DAC_READ_SEARCH', 'CHOWN', 'FSETID'], [...GRANTED, '/etc/passwd', '/etc/group']),
    ['path', 'owner', 'recursive', 'dry_run'], { reports: TREE_REPORT }),
  serves(fileContent,        'file://', 'file://{path}',      byResourcePaths,  120, 17 * MiB, READ_LISTED, ['path']),
  serves(fileStat,           'file://', 'file://{path}/stat', byResourcePaths,   60,  4 * KiB, READ_LISTED, ['path']),
  serves(fileType,           'file://', 'file://{path}/type', byResourcePaths,   60,  4 * KiB, READ_LISTED, ['path']),

  // ── Disks. NVMe admin commands need SYS_ADMIN, ATA and SCSI pass-through SYS_RAWIO. ───────────────────────────────────────────
  reads(disksFree,           byPaths,          60,  8 * KiB,   READ_GRANTED,                                ['path', 'inodes']),
  reads(disksUsage,          byPaths,         600,     0,      READ_GRANTED,
    ['path', 'max_depth', 'all', 'apparent_size', 'exclude', 'one_file_system', 'separate_dirs', 'threshold'], { reports: ['total_size'] }),
  reads(disksList,           none,             60,     0,      TRACE('/sys/class/block', '/proc/1/mountinfo', '/proc/swaps'), ['all']),
  reads(disksMounts,         none,             60,     0,      TRACE('/proc/1/mountinfo'),                  ['fs_type']),
  reads(disksHealth,         byDevice,        120,  5 * MiB,   needs(['SYS_ADMIN', 'SYS_RAWIO'], ['/sys/class/{block,nvme}', '/dev/<device>', '/var/lib/smartmontools'], SMARTCTL),
    ['device']),

  // ── Processes ─────────────────────────────────────────────────────────────────────────────────────────────────────────────────
  reads(processesList,       none,             60,     0,      TRACE('/proc/<pid>/{stat,status,cmdline}', '/etc/passwd'), ['user', 'pid', 'sort_by', 'limit']),
  reads(processesTop,        none,             60,     0,
    TRACE('/proc/<pid>/{stat,status,cmdline}', '/proc/{stat,meminfo,loadavg,uptime}', '/run/{utmp,systemd/sessions}', '/etc/passwd'), ['interval_ms', 'sort_by', 'user', 'limit']),
  writes(processesDelete,    bySignalAndOwner, 60,  4 * KiB,   needs(['KILL', 'SYS_PTRACE'], ['/proc/<pid>/{stat,status}', '/etc/passwd']),
    ['pid', 'signal', 'dry_run'], { reports: ['signal', 'comm', 'owner'] }),
  serves(processLimits,      'process://', 'process://{pid}/limits',     byResourceOwners, 60, 16 * KiB, TRACE('/proc/<pid>/{stat,status,limits}', '/etc/passwd'), ['pid']),
  serves(processOpenFiles,   'process://', 'process://{pid}/open_files', byResourceOwners, 60, 0,
    needs(['DAC_READ_SEARCH', 'SYS_PTRACE'], ['/proc/<pid>/{stat,status,fd}', '/etc/passwd']), ['pid']),

  // ── Network ───────────────────────────────────────────────────────────────────────────────────────────────────────────────────
  reads(networkConnections,  none,             60,     0,      needs(['DAC_READ_SEARCH', 'SYS_PTRACE'], ['/proc/net/{tcp,tcp6,udp,udp6}', '/proc/<pid>/{comm,fd}']),
    ['state', 'port']),

  // ── systemd ───────────────────────────────────────────────────────────────────────────────────────────────────────────────────
  writes(servicesManage,     byUnit,          600, 64 * KiB,   UNITS(SYSTEMCTL),                            ['service', 'action', 'dry_run'],
    { reports: ['active_state', 'job', 'status', 'install', 'changes'] }),
  reads(servicesList,        none,             60,     0,      UNITS(SHOW('*.service', '--all')),           ['pattern', 'active_state', 'load_state', 'sub_state']),
  reads(timersList,          none,             60,     0,      UNITS(SHOW('*.timer', '--all')),             ['pattern', 'active_state']),
  serves(serviceStatus,      'service://', 'service://{name}/status', byResourceUnit, 60, 64 * KiB, UNITS(SHOW('<unit>')), ['name']),

  // ── System and accounts ───────────────────────────────────────────────────────────────────────────────────────────────────────
  reads(systemPackages,      none,             60,     0,      needs([], ['/var/lib/dpkg', '/lib/apk/db', '/usr/lib/apk/db']), ['name']),
  reads(usersList,           none,             60,     0,      needs([], ['/etc/passwd', '/etc/group']),    ['min_uid']),
  serves(devicesMemory,      'devices://dmi', 'devices://dmi', byWholeResource, 60, MiB, needs([], ['/sys/firmware/dmi/tables/DMI']), []),

  // ── Logs ──────────────────────────────────────────────────────────────────────────────────────────────────────────────────────
  reads(journalControl,      none,            300,  4 * MiB,   needs(['DAC_READ_SEARCH'], ['/var/log/journal', '/run/log/journal'], JOURNALCTL),
    ['unit', 'lines', 'since', 'until', 'reverse', 'boot', 'boot_offset']),
  reads(logsDmesg,           none,             60,     MiB,    needs(['SYSLOG'], ['/dev/kmsg', '/proc/stat']), ['level']),
  reads(logsLogins,          none,            120,     0,      needs(['DAC_READ_SEARCH'], ['/var/log/wtmp', '/var/log/btmp', '/var/lib/wtmpdb/wtmp.db']),
    ['type', 'limit', 'user']),

  // ── Kernel parameters. A call without a value reads. ──────────────────────────────────────────────────────────────────────────
  writes(kernelSystemControl, bySysctlKey,     60, 16 * MiB,   needs(['NET_ADMIN'], ['/proc/sys']),         ['key', 'value', 'read_all', 'dry_run'],
    { grant: { tool: 'kernel/system-control', refusal: 'sysctl_needs_grant' }, writesWith: 'value', reports: ['action', 'previous'] }),

  // ── Crontabs. The caller's own needs no grant. The operation says itself what is too long; more than that is not even taken. ──
  writes(cronManage,         byCrontab,        60,  4 * MiB,   needs(['CHOWN', 'DAC_READ_SEARCH'], SPOOL, CRONTAB, ['/dev/log']), ['user', 'if_match', 'privileged', 'dry_run'],
    { grant: { ownOrTool: 'cron/manage' }, writesWith: 'content', uploadBytes: 16 * MAX_CRONTAB_BYTES, reports: ['action', 'lines', 'sha256', 'previous_sha256'] }),
  reads(crontabResource,     byCrontabResource, 60, 4 * MiB,   needs(['DAC_READ_SEARCH'], SPOOL, CRONTAB.slice(0, 1), ['/dev/log']), ['user'],
    { grant: { ownOrTool: 'cron/manage' } }),

  // ── Containers, through the engine's socket alone ─────────────────────────────────────────────────────────────────────────────
  ...DOCKER_ROWS,

  // ── Steward itself ────────────────────────────────────────────────────────────────────────────────────────────────────────────
  reads(authSudoRules,       none,             60,     MiB,    needs([]),                                   [], { grant: { everyone: true } }),
  reads(auditWatch,          none,            610,     0,      needs([]),                                   ['seconds', 'after'], { grant: { extra: 'audit/watch', refusal: 'watch_not_granted' } }),
  writes(daemonReloadConfig, none,             60,     MiB,    needs(['DAC_READ_SEARCH'], ['daemon.yaml', 'users.yaml', 'grants.yaml']), ['dry_run'],
    { grant: { tool: 'daemon/reload-config', refusal: 'reload_not_granted' }, effect: 'daemon', reports: ['closed_sessions'] }),
];

/** Makes data unchangeable all the way down. */
function frozen<T>(value: T): T {
  if (typeof value !== 'object' || value === null || Object.isFrozen(value)) return value;
  for (const member of Object.values(value)) frozen(member);
  return Object.freeze(value);
}

/** The allowlist, frozen. */
export const TABLE: readonly Row[] = frozen(rows);
