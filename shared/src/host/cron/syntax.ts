/**
 * The syntax of crontab(5), checked without asking cron: for dry runs, because crontab(1) cannot check without installing. Accepts
 * what Vixie cron and its descendants accept, but no range that runs backwards (some of them ignore it silently).
 */
import { isVariable } from './crontab.ts';

interface Field {
  readonly name: string;
  readonly low: number;
  readonly high: number;
  /** Names of the values from `low` on. */
  readonly names: readonly string[];
}

const MONTHS = ['jan', 'feb', 'mar', 'apr', 'may', 'jun', 'jul', 'aug', 'sep', 'oct', 'nov', 'dec'];
const DAYS = ['sun', 'mon', 'tue', 'wed', 'thu', 'fri', 'sat'];
const FIELDS: readonly Field[] = [
  { name: 'minute', low: 0, high: 59, names: [] },
  { name: 'hour', low: 0, high: 23, names: [] },
  { name: 'day-of-month', low: 1, high: 31, names: [] },
  { name: 'month', low: 1, high: 12, names: MONTHS },
  { name: 'day-of-week', low: 0, high: 7, names: DAYS },
];
const NICKNAMES = ['@reboot', '@yearly', '@annually', '@monthly', '@weekly', '@daily', '@midnight', '@hourly'];

/** The first mistake, for instance `line 2: bad minute`, or undefined. */
export function crontabMistake(content: string): string | undefined {
  for (const [index, line] of content.replace(/\n$/, '').split('\n').entries()) {
    const mistake = lineMistake(line.replace(/^[ \t]+/, ''));
    if (mistake !== undefined) return `line ${index + 1}: ${mistake}`;
  }
  return undefined;
}

function lineMistake(line: string): string | undefined {
  if (line.trim() === '' || line.startsWith('#') || isVariable(line)) return undefined;
  const words = line.split(/[ \t]+/);
  if (line.startsWith('@')) return NICKNAMES.includes(words[0] ?? '') ? undefined : 'bad time specifier';
  const wrong = FIELDS.find((field, index) => !isFieldText(words[index] ?? '', field));
  return wrong === undefined ? undefined : `bad ${wrong.name}`;
}

/** A list of `*`, values and ranges, ranges with an optional step. */
function isFieldText(text: string, field: Field): boolean {
  return text.split(',').every((part) => {
    const [range = '', step, ...more] = part.split('/');
    if (more.length > 0 || (step !== undefined && !/^0*[1-9]\d{0,4}$/.test(step))) return false;
    if (range === '*') return true;
    const ends = range.split('-').map((end) => valueOf(end, field));
    const [low, high = low] = ends;
    if (ends.length > 2 || low === undefined || high === undefined) return false;
    return low <= high && (step === undefined || ends.length === 2);
  });
}

/** The number that a value means; names in any case. */
function valueOf(text: string, { low, high, names }: Field): number | undefined {
  const named = names.indexOf(text.toLowerCase());
  if (named >= 0) return low + named;
  const value = /^\d{1,5}$/.test(text) ? Number(text) : -1;
  return value >= low && value <= high ? value : undefined;
}
