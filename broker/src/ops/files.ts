/** Rows of the allowlist: files. How to read a row: table.ts. */
import { filesChmod } from '@steward/shared/ops/files/chmod.ts';
import { filesChown } from '@steward/shared/ops/files/chown.ts';
import { filesCreate } from '@steward/shared/ops/files/create.ts';
import { filesFiletype } from '@steward/shared/ops/files/filetype.ts';
import { filesFind } from '@steward/shared/ops/files/find.ts';
import { filesList } from '@steward/shared/ops/files/list.ts';
import { filesRead } from '@steward/shared/ops/files/read.ts';
import { fileContent, fileStat, fileType } from '@steward/shared/ops/files/resource.ts';
import { filesUpdate } from '@steward/shared/ops/files/update.ts';
import { byPaths, byResourcePaths } from '../restrict.ts';
import type { ProgramUse, Row } from '../row.ts';
import { KiB, limits, MiB, touches } from './columns.ts';

/** Keeps mode, owner, ACLs and extended attributes of a file that is edited; both files are descriptors, never names. */
const COPY_ATTRIBUTES: ProgramUse = {
  name: 'cp',
  argv: ['--attributes-only', '--preserve=all', '--', '/proc/self/fd/3', '/proc/self/fd/4'],
};

const GRANTED = 'what `paths` covers, but the protected objects';
const LISTED = 'what the `file://` list covers, but the protected objects';

// prettier-ignore
export const FILE_ROWS: readonly Row[] = [
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
];
