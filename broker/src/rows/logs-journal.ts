/** Rows of the allowlist: the systemd journal. How to read a row: table.ts. */
import { journalControl } from '@steward/shared/ops/logs/journal-control.ts';
import { none } from '../restrict.ts';
import type { ProgramUse, Row } from '../row.ts';

const MiB = 1024 * 1024;

const JOURNALCTL: ProgramUse = {
  name: 'journalctl',
  argv: [
    ...['--system', '--no-pager', '--quiet', '--lines=<n>', '--output=short|json'],
    ...['[--unit=<unit>]', '[--since=<time>]', '[--until=<time>]', '[--boot=<n>]', '[--reverse]'],
  ],
};

// prettier-ignore
export const JOURNAL_ROWS: readonly Row[] = [
  {
    op:          journalControl,
    grant:       { tool: 'logs/journal-control' },
    effect:      'read',
    restriction: none,
    touches:     { capabilities: ['DAC_READ_SEARCH'], programs: [JOURNALCTL], sockets: [], paths: ['/var/log/journal', '/run/log/journal'] },
    limits:      { deadlineSeconds: 300, maxResultBytes: 4 * MiB, maxUploadBytes: 0 },
    cancel:      'stops',
    shown:       ['unit', 'lines', 'since', 'until', 'reverse', 'boot', 'boot_offset'],
  },
];
