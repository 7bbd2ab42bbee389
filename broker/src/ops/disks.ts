/** Rows of the allowlist: disks. How to read a row: table.ts. */
import { disksFree } from '@steward/shared/ops/disks/free.ts';
import { disksHealth } from '@steward/shared/ops/disks/health.ts';
import { disksList } from '@steward/shared/ops/disks/list.ts';
import { disksMounts } from '@steward/shared/ops/disks/mounts.ts';
import { disksUsage } from '@steward/shared/ops/disks/usage.ts';
import { byDevice } from './restrict-device.ts';
import { byPaths, none } from '../restrict.ts';
import type { ProgramUse, Row } from '../row.ts';

const KiB = 1024;
const MiB = 1024 * KiB;

const SMARTCTL: ProgramUse = { name: 'smartctl', argv: ['-j', '-a', '--', '/dev/<device>'] };

// prettier-ignore
export const DISK_ROWS: readonly Row[] = [
  {
    op:          disksFree,
    grant:       { tool: 'disks/free' },
    effect:      'read',
    restriction: byPaths,
    touches:     { capabilities: ['DAC_READ_SEARCH'], programs: [], sockets: [], paths: ['what `paths` covers, but the protected objects'] },
    limits:      { deadlineSeconds: 60, maxResultBytes: 8 * KiB, maxUploadBytes: 0 },
    cancel:      'stops',
    shown:       ['path', 'inodes'],
  },
  {
    op:          disksUsage,
    grant:       { tool: 'disks/usage' },
    effect:      'read',
    restriction: byPaths,
    touches:     { capabilities: ['DAC_READ_SEARCH'], programs: [], sockets: [], paths: ['what `paths` covers, but the protected objects'] },
    limits:      { deadlineSeconds: 600, maxResultBytes: 0, maxUploadBytes: 0 },
    cancel:      'stops',
    shown:       ['path', 'max_depth', 'all', 'apparent_size', 'exclude', 'one_file_system', 'separate_dirs', 'threshold'],
    reports:     ['total_size'],
  },
  {
    op:          disksList,
    grant:       { tool: 'disks/list' },
    effect:      'read',
    restriction: none,
    // The mounts are those of init, which the kernel shows to whoever may trace it.
    touches:     { capabilities: ['SYS_PTRACE'], programs: [], sockets: [], paths: ['/sys/class/block', '/proc/1/mountinfo', '/proc/swaps'] },
    limits:      { deadlineSeconds: 60, maxResultBytes: 0, maxUploadBytes: 0 },
    cancel:      'stops',
    shown:       ['all'],
  },
  {
    op:          disksMounts,
    grant:       { tool: 'disks/mounts' },
    effect:      'read',
    restriction: none,
    touches:     { capabilities: ['SYS_PTRACE'], programs: [], sockets: [], paths: ['/proc/1/mountinfo'] },
    limits:      { deadlineSeconds: 60, maxResultBytes: 0, maxUploadBytes: 0 },
    cancel:      'stops',
    shown:       ['fs_type'],
  },
  {
    op:          disksHealth,
    grant:       { tool: 'disks/health' },
    effect:      'read',
    restriction: byDevice,
    // NVMe admin commands need SYS_ADMIN, ATA and SCSI pass-through SYS_RAWIO.
    touches:     { capabilities: ['SYS_ADMIN', 'SYS_RAWIO'], programs: [SMARTCTL], sockets: [], paths: ['/sys/class/block', '/sys/class/nvme', '/dev/<device>'] },
    limits:      { deadlineSeconds: 120, maxResultBytes: 5 * MiB, maxUploadBytes: 0 },
    cancel:      'stops',
    shown:       ['device'],
  },
];
