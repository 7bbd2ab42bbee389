/** Rows of the allowlist: crontabs. How to read a row: table.ts. */
import { cronManage, MAX_CRONTAB_BYTES } from '@steward/shared/ops/cron/manage.ts';
import { crontabResource } from '@steward/shared/ops/resource/crontab.ts';
import { byCrontab, byCrontabResource } from './restrict-cron.ts';
import type { ProgramUse, Row } from '../row.ts';

const KiB = 1024;
const MiB = 1024 * KiB;

const READ: ProgramUse = { name: 'crontab', argv: ['-u', '<account>', '-l'] };
const INSTALL: ProgramUse = { name: 'crontab', argv: ['-u', '<account>', '-'] };
const REMOVE: ProgramUse = { name: 'crontab', argv: ['-u', '<account>', '-r'] };
const SPOOL = ['/etc/passwd', '/var/spool/cron', '/etc/crontabs'];

// prettier-ignore
export const CRON_ROWS: readonly Row[] = [
  {
    op:          cronManage,
    grant:       { ownOrTool: 'cron/manage' },
    effect:      'write',
    writesWith:  'content',
    restriction: byCrontab,
    touches:     { capabilities: ['CHOWN', 'DAC_READ_SEARCH'], programs: [READ, INSTALL, REMOVE], sockets: [], paths: SPOOL },
    // The operation says itself what is too long for a crontab; an upload beyond this is not even taken.
    limits:      { deadlineSeconds: 60, maxResultBytes: 4 * MiB, maxUploadBytes: 16 * MAX_CRONTAB_BYTES },
    cancel:      'finishes',
    shown:       ['user', 'if_match', 'privileged', 'dry_run'],
    reports:     ['action', 'lines', 'sha256', 'previous_sha256'],
  },
  {
    op:          crontabResource,
    grant:       { ownOrTool: 'cron/manage' },
    effect:      'read',
    restriction: byCrontabResource,
    touches:     { capabilities: ['DAC_READ_SEARCH'], programs: [READ], sockets: [], paths: SPOOL },
    limits:      { deadlineSeconds: 60, maxResultBytes: 4 * MiB, maxUploadBytes: 0 },
    cancel:      'stops',
    shown:       ['user'],
  },
];
