/** The report of a reload, for the caller of the tool and for the log. Lines come from the broker and hold no secrets. */
import type { ReloadReport } from '@steward/shared/ipc/messages.ts';
import { escapeName } from './names.ts';

/** `dryRun`: nothing was applied, the report says what would be. */
export function reloadText(report: ReloadReport, dryRun = false): string {
  const lines = [`${dryRun ? 'Dry run: would reload' : 'Reloaded'} ${enumeration(report.files)}.`];
  lines.push(...(report.changes.length === 0 ? ['No changes.'] : ['Changes:', ...report.changes.map(indented)]));
  if (report.closed_sessions > 0) {
    const closes = dryRun ? 'Would close' : 'Closed';
    lines.push(`${closes} ${String(report.closed_sessions)} session(s) of removed users or withdrawn tokens.`);
  }
  if (report.needs_restart.length > 0) {
    lines.push('Needs a restart (not applied):', ...report.needs_restart.map(indented));
  }
  return lines.join('\n');
}

function indented(line: string): string {
  return `  ${escapeName(line)}`;
}

/** `a`, `a and b`, `a, b and c`. */
function enumeration(names: readonly string[]): string {
  const shown = names.map(escapeName);
  const last = shown.pop() ?? '';
  return shown.length === 0 ? last : `${shown.join(', ')} and ${last}`;
}
