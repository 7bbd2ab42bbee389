/**
 * The audit report as one page of HTML: no script, nothing loaded from anywhere, and nothing of the log reaches the page unescaped,
 * because file names and client names are whatever somebody chose.
 */
import type { Verdict } from '@steward/shared/audit/verify.ts';
import { chart, ENDINGS } from './audit-chart.ts';
import type { Counts, Row, Rows, Summary } from './audit-summary.ts';
import { STYLE } from './audit-style.ts';
import { oneCell } from '../safety.ts';

export interface ReportFacts {
  readonly directory: string;
  readonly host: string;
  /** When it was made, RFC 3339. */
  readonly made: string;
  readonly verdict: Verdict;
  readonly summary: Summary;
}

const ENTITIES: Readonly<Record<string, string>> = { '&': '&amp;', '<': '&lt;', '>': '&gt;', '"': '&quot;', "'": '&#39;' };
/** Marks that turn the direction of what follows: a name with one would show as another name. */
const TURNING = /[\u061c\u200e\u200f\u202a-\u202e\u2066-\u2069]/g;

/** Text for HTML, control and direction characters spelled out. */
export function escapeHtml(text: string): string {
  const spelled = oneCell(text).replace(TURNING, (mark) => `\\u${mark.charCodeAt(0).toString(16)}`);
  return spelled.replace(/[&<>"']/g, (character) => ENTITIES[character] ?? '');
}

const number = (count: number): string => count.toLocaleString('en-US');

/** `2026-11-20 14:05:09`. */
const moment = (time: string): string => escapeHtml(time.replace('T', ' ').replace(/\.\d+Z$/, ''));

const COLUMNS = ['Time (UTC)', 'User', 'From', 'Operation', 'Object', 'Result', 'Why', 'Request'] as const;

const CLASSES = ['word', 'word', 'name', 'long', 'code', 'long', 'id'] as const;

function rowHtml({ time, user, from, op, object, code, why, request }: Row): string {
  const cells = [user, from, op, object, code, why, request].map(
    (text, index) => `<td class="${CLASSES[index] ?? ''}">${escapeHtml(text)}</td>`,
  );
  return `<tr${code === 'OK' ? '' : ' class="bad"'}><td class="time">${moment(time)}</td>${cells.join('')}</tr>`;
}

function table(titles: readonly string[], rows: readonly string[]): string {
  const head = titles.map((title) => `<th scope="col">${title}</th>`).join('');
  return `<div class="scroll"><table><thead><tr>${head}</tr></thead><tbody>\n${rows.join('\n')}\n</tbody></table></div>`;
}

/** Newest first. */
function rowsHtml({ total, latest }: Rows, none: string): string {
  if (total === 0) return `<p class="none">${none}</p>`;
  const left = total > latest.length ? `<p>The latest ${number(latest.length)} of ${number(total)}.</p>` : '';
  return `${left}${table(COLUMNS, latest.toReversed().map(rowHtml))}`;
}

function countsHtml(title: string, entries: readonly (readonly [string, Counts])[]): string {
  const rows = entries.map(([name, counts]) => {
    const cells = ENDINGS.map(
      ({ ending }) => `<td class="count ${counts[ending] > 0 ? ending : 'zero'}">${number(counts[ending])}</td>`,
    );
    return `<tr><td>${escapeHtml(name)}</td>${cells.join('')}</tr>`;
  });
  return table([title, ...ENDINGS.map((one) => one.title)], rows);
}

const VERDICTS = { good: 'The log is whole', altered: 'The log was altered', truncated: 'The log is not complete' } as const;

function verdictHtml({ state, keyed, message, firstBad }: Verdict): string {
  const place = firstBad === undefined ? '' : `${firstBad}: `;
  const kind = state === 'good' && !keyed ? 'unkeyed' : state;
  const title = kind === 'unkeyed' ? 'The chain is whole, its seals were not verified' : VERDICTS[state];
  return `<p class="verdict ${kind}"><strong>${title}.</strong> ${escapeHtml(`${place}${message}`)}</p>`;
}

function figures({ totals, sessions, refusals }: Summary): string {
  const all: readonly (readonly [string, string, number])[] = [
    ['refused', 'refused', refusals.total],
    ['failed', 'failed', totals.failed],
    ['done', 'done', totals.done],
    ['', 'sessions', sessions],
  ];
  return `<ul class="figures">${all.map(([kind, title, count]) => `<li class="${kind}"><b>${number(count)}</b> ${title}</li>`).join('')}</ul>`;
}

/** The whole page. */
export function reportPage({ directory, host, made, verdict, summary }: ReportFacts): string {
  const period = summary.records === 0 ? 'no record in this time' : `${moment(summary.first)} to ${moment(summary.last)} UTC`;
  const legend = ENDINGS.map(({ ending, title }) => `<span class="${ending}">${title}</span>`).join('');
  return `<!doctype html>
<html lang="en">
<head>
<meta charset="utf-8">
<meta http-equiv="Content-Security-Policy" content="default-src 'none'; style-src 'unsafe-inline'">
<meta name="viewport" content="width=device-width, initial-scale=1">
<title>Audit of ${escapeHtml(host)}</title>
<style>${STYLE}</style>
</head>
<body>
<header><h1>Audit of ${escapeHtml(host)}</h1>
<p>${period}. ${number(summary.records)} records of ${escapeHtml(directory)}, looked at ${moment(made)} UTC.</p></header>
${verdictHtml(verdict)}
${figures(summary)}
<h2>Refusals</h2>
${rowsHtml(summary.refusals, 'Nothing was refused.')}
<h2>Over time</h2>
${summary.minutes.length === 0 ? '<p class="none">No call.</p>' : `<p class="legend">${legend}</p>${chart(summary.minutes)}`}
<div class="pair"><section><h2>By user</h2>
${countsHtml('User', summary.users)}</section>
<section><h2>By operation</h2>
${countsHtml('Operation', summary.operations)}</section></div>
<h2>What was done</h2>
${rowsHtml(summary.calls, 'Nothing was done.')}
</body>
</html>
`;
}
