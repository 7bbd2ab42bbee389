/** stewardctl audit report: one document for reviewers. The log is verified for it, so that nobody reads a forged one unawares. */
import { hostname } from 'node:os';
import { readAudit } from '@steward/shared/audit/read.ts';
import { verifyAudit } from '@steward/shared/audit/verify.ts';
import { optionOf } from './answer.ts';
import { AUDIT_USAGE, FILTERS, readFilter } from './audit-filter.ts';
import { reportPage } from './audit-page.ts';
import { summarise } from './audit-summary.ts';
import { anchorOptions, auditDirectory, KEY_OPTION, unreadable } from './audit-verify.ts';
import type { HostCall, HostCommand } from './command.ts';
import { CliError, EXIT } from '../exit.ts';

const FORMATS = ['html', 'json'];

async function report(call: HostCall): Promise<number> {
  const directory = auditDirectory(call);
  const format = optionOf(call, 'output') ?? 'html';
  if (!FORMATS.includes(format))
    throw new CliError(AUDIT_USAGE, `--output must be one of ${FORMATS.join(', ')}, got "${format}"`);
  try {
    const verdict = await verifyAudit(directory, anchorOptions(call));
    const summary = await summarise(readAudit(directory, readFilter(call)));
    const facts = { directory, host: hostname(), made: new Date().toISOString(), verdict, summary };
    call.out.write(format === 'html' ? reportPage(facts) : `${JSON.stringify(facts, null, 2)}\n`);
    return EXIT.done;
  } catch (error) {
    throw unreadable(directory, error);
  }
}

export const auditReportCommands: readonly HostCommand[] = [
  {
    path: ['audit', 'report'],
    usage: '[PATH]',
    summary: 'Print a report for reviewers: refusals first, a chart over time, who did what',
    options: [
      { name: 'output', short: 'o', value: 'FORMAT', summary: `One of ${FORMATS.join(', ')}; html is one page without scripts` },
      ...FILTERS,
      KEY_OPTION,
    ],
    run: report,
  },
];
