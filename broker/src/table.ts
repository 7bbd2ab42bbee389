/**
 * The allowlist: everything that runs as root, one row each, and nothing else does. An operation that is not here cannot be asked
 * for; asking ends the connection.
 *
 * How to read a row. `op` names the module that does the work (shared/src/ops, the same that runs unprivileged in the frontend),
 * with the schema of its arguments. `grant` says who may: a user of grants.yaml. `restriction` says on which object: it judges
 * the object that was reached, not the text that was typed, and the operation gets that object and no path. `touches` is what the
 * row needs of the system; the broker's capabilities and the programs it may execute are the union of these columns. `limits` and
 * `cancel` say how long, how much, and what happens when the caller goes away. `shown` are the arguments in the audit record.
 *
 * Adding a row: docs/ARCHITECTURE.md, "Adding a tool". After any change: make allowlist, and read the difference.
 */
import { authSudoRules } from '@steward/shared/ops/auth/sudo-rules.ts';
import { daemonReloadConfig } from '@steward/shared/ops/daemon/reload-config.ts';
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
import { byPaths, byResourcePaths, bySysctlKey, none } from './restrict.ts';
import type { Capability, ProgramUse, Row } from './row.ts';

const KiB = 1024;
const MiB = 1024 * KiB;

/** Keeps mode, owner, ACLs and extended attributes of a file that is edited; both files are descriptors, never names. */
const COPY_ATTRIBUTES: ProgramUse = {
  name: 'cp',
  argv: ['--attributes-only', '--preserve=all', '--', '/proc/self/fd/3', '/proc/self/fd/4'],
};

const GRANTED = 'what `paths` covers, but the protected objects';
const LISTED = 'what the `file://` list covers, but the protected objects';

const touches = (
  capabilities: readonly Capability[],
  paths: readonly string[],
  programs: readonly ProgramUse[] = [],
): Row['touches'] => ({
  capabilities,
  programs,
  sockets: [],
  paths,
});

/** Seconds; bytes of the result (0: streamed without a cap); bytes of the upload. */
const limits = (deadlineSeconds: number, maxResultBytes: number, maxUploadBytes = 0): Row['limits'] => ({
  deadlineSeconds,
  maxResultBytes,
  maxUploadBytes,
});

// prettier-ignore
const rows: readonly Row[] = [
  // ── Files: reading ─────────────────────────────────────────────────────────────────────────────────────────────────────────
  {
    op: filesList,           grant: { tool: 'files/list' },     effect: 'read',   restriction: byPaths,         cancel: 'stops',
    touches: touches(['DAC_READ_SEARCH'], [GRANTED]),
    limits:  limits(300, 0),
    shown:   ['path'],
  },
  {
    op: filesRead,           grant: { tool: 'files/read' },     effect: 'read',   restriction: byPaths,         cancel: 'stops',
    touches: touches(['DAC_READ_SEARCH'], [GRANTED]),
    limits:  limits(120, 17 * MiB),
    shown:   ['path', 'start_line', 'end_line', 'offset', 'limit'],
  },
  {
    op: filesFind,           grant: { tool: 'files/find' },     effect: 'read',   restriction: byPaths,         cancel: 'stops',
    touches: touches(['DAC_READ_SEARCH'], [GRANTED]),
    limits:  limits(600, 0),
    shown:   ['path', 'name', 'type', 'mtime', 'size', 'max_depth'],
  },
  {
    op: filesFiletype,       grant: { tool: 'files/filetype' }, effect: 'read',   restriction: byPaths,         cancel: 'stops',
    touches: touches(['DAC_READ_SEARCH'], [GRANTED]),
    limits:  limits(60, 4 * KiB),
    shown:   ['path'],
  },

  // ── Files: changing. What has begun is finished, so that no file is left half written. ─────────────────────────────────────
  {
    op: filesCreate,         grant: { tool: 'files/create' },   effect: 'write',  restriction: byPaths,         cancel: 'finishes',
    touches: touches(['DAC_OVERRIDE', 'FOWNER'], [GRANTED]),
    limits:  limits(120, 64 * KiB, 64 * MiB),
    shown:   ['path', 'if_sha256', 'dry_run'],
    reports: ['action', 'old_size', 'size', 'sha256'],
  },
  {
    op: filesUpdate,         grant: { tool: 'files/update' },   effect: 'write',  restriction: byPaths,         cancel: 'finishes',
    touches: touches(['DAC_OVERRIDE', 'CHOWN', 'FOWNER', 'FSETID'], [GRANTED], [COPY_ATTRIBUTES]),
    limits:  limits(120, 64 * KiB, 64 * MiB),
    shown:   ['path', 'append', 'start_line', 'end_line', 'if_sha256', 'dry_run'],
    reports: ['action', 'start', 'end', 'sha256'],
  },
  {
    op: filesChmod,          grant: { tool: 'files/chmod' },    effect: 'write',  restriction: byPaths,         cancel: 'finishes',
    touches: touches(['DAC_READ_SEARCH', 'FOWNER', 'FSETID'], [GRANTED]),
    limits:  limits(600, 0),
    shown:   ['path', 'mode', 'recursive', 'dry_run'],
    reports: ['changed', 'unchanged', 'symlinks', 'protected', 'errors'],
  },
  {
    op: filesChown,          grant: { tool: 'files/chown' },    effect: 'write',  restriction: byPaths,         cancel: 'finishes',
    touches: touches(['DAC_READ_SEARCH', 'CHOWN', 'FSETID'], [GRANTED, '/etc/passwd', '/etc/group']),
    limits:  limits(600, 0),
    shown:   ['path', 'owner', 'recursive', 'dry_run'],
    reports: ['changed', 'unchanged', 'symlinks', 'protected', 'errors'],
  },

  // ── Resources file:///..: asked for only after the kernel refused the frontend ─────────────────────────────────────────────
  {
    op: fileContent,         grant: { resource: 'file://' },    effect: 'read',   restriction: byResourcePaths, cancel: 'stops',
    touches: touches(['DAC_READ_SEARCH'], [LISTED]),
    limits:  limits(120, 17 * MiB),
    shown:   ['path'],
  },
  {
    op: fileStat,            grant: { resource: 'file://' },    effect: 'read',   restriction: byResourcePaths, cancel: 'stops',
    touches: touches(['DAC_READ_SEARCH'], [LISTED]),
    limits:  limits(60, 4 * KiB),
    shown:   ['path'],
  },
  {
    op: fileType,            grant: { resource: 'file://' },    effect: 'read',   restriction: byResourcePaths, cancel: 'stops',
    touches: touches(['DAC_READ_SEARCH'], [LISTED]),
    limits:  limits(60, 4 * KiB),
    shown:   ['path'],
  },

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

/** Makes data unchangeable all the way down. */
function frozen<T>(value: T): T {
  if (typeof value !== 'object' || value === null || Object.isFrozen(value)) return value;
  for (const member of Object.values(value)) frozen(member);
  return Object.freeze(value);
}

/** The allowlist, frozen. */
export const TABLE: readonly Row[] = frozen(rows);
