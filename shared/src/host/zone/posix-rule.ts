/**
 * The rule for times that a zone's table does not reach: the TZ string at the end of a TZif file (RFC 9636 section 3.3, tzset(3),
 * POSIX.1 XBD 8.3). Pure functions.
 */

/** Local time as it is kept for a while. */
export interface LocalType {
  /** Seconds east of UTC. */
  readonly offset: number;
  readonly isDst: boolean;
  readonly abbreviation: string;
}

/** A day of every year and the local time of day when the clock is changed, in seconds; may be negative or beyond 24 hours. */
interface YearlyMoment {
  readonly day: (year: number) => number;
  readonly time: number;
}

/** Standard time, and for zones that have it summer time with its first and last moment. */
export interface PosixRule {
  readonly standard: LocalType;
  readonly summer?: { readonly type: LocalType; readonly start: YearlyMoment; readonly end: YearlyMoment };
}

const HOUR = 3600;
const DAY = 86_400;

const NAME = '([A-Za-z]{3,}|<[A-Za-z0-9+-]{3,}>)';
const SPAN = '[+-]?\\d{1,3}(?::\\d{1,2}){0,2}';
const MOMENT = `((?:J?\\d{1,3}|M\\d{1,2}\\.\\d\\.\\d)(?:/${SPAN})?)`;
const RULE = new RegExp(`^${NAME}(${SPAN})(?:${NAME}(${SPAN})?(?:,${MOMENT},${MOMENT})?)?$`);

/** What a string without dates means: the rule of the United States. */
const DEFAULT_START = 'M3.2.0';
const DEFAULT_END = 'M11.1.0';

/** Reads a TZ string such as `CET-1CEST,M3.5.0,M10.5.0/3`; undefined when it is malformed. */
export function parsePosixRule(text: string): PosixRule | undefined {
  const parts = RULE.exec(text);
  if (parts === null) return undefined;
  const [, name = '', west = '', summerName, summerWest, start = DEFAULT_START, end = DEFAULT_END] = parts;
  const standard: LocalType = { offset: 0 - secondsOf(west), isDst: false, abbreviation: bare(name) };
  if (summerName === undefined) return { standard };
  const offset = summerWest === undefined ? standard.offset + HOUR : 0 - secondsOf(summerWest);
  const moments = { start: momentOf(start), end: momentOf(end) };
  if (moments.start === undefined || moments.end === undefined) return undefined;
  const type: LocalType = { offset, isDst: true, abbreviation: bare(summerName) };
  return { standard, summer: { type, start: moments.start, end: moments.end } };
}

/** Local time at a moment in seconds since 1970. */
export function localTypeByRule({ standard, summer }: PosixRule, seconds: number): LocalType {
  if (summer === undefined) return standard;
  const year = new Date((seconds + standard.offset) * 1000).getUTCFullYear();
  // The last change before the moment tells. Of two at once the start counts: so is summer time all year long written.
  const changes = [year - 1, year, year + 1].flatMap((one) => [
    { at: summer.end.day(one) * DAY + summer.end.time - summer.type.offset, type: standard },
    { at: summer.start.day(one) * DAY + summer.start.time - standard.offset, type: summer.type },
  ]);
  changes.sort((a, b) => a.at - b.at);
  return changes.findLast(({ at }) => at <= seconds)?.type ?? standard;
}

const bare = (name: string): string => name.replace(/^<|>$/g, '');

function secondsOf(span: string): number {
  const [hours = 0, minutes = 0, seconds = 0] = span.replace(/^[+-]/, '').split(':').map(Number);
  return (span.startsWith('-') ? -1 : 1) * (hours * HOUR + minutes * 60 + seconds);
}

function momentOf(text: string): YearlyMoment | undefined {
  const [date = '', time = '2'] = text.split('/');
  const day = dayOf(date);
  return day === undefined ? undefined : { day, time: secondsOf(time) };
}

/** Days since 1970 of a date in a year. */
function dayOf(date: string): YearlyMoment['day'] | undefined {
  if (date.startsWith('M')) {
    const [month = 0, week = 0, weekday = 0] = date.slice(1).split('.').map(Number);
    const exists = month >= 1 && month <= 12 && week >= 1 && week <= 5 && weekday <= 6;
    return exists ? (year) => weekdayOfMonth(year, month, week, weekday) : undefined;
  }
  const number = Number(date.replace('J', ''));
  if (!date.startsWith('J')) return number <= 365 ? (year) => daysTo(year, 1, 1) + number : undefined;
  // Counted from 1 and without 29 February.
  return number >= 1 && number <= 365
    ? (year) => daysTo(year, 1, 1) + number - (number < 60 || !isLeap(year) ? 1 : 0)
    : undefined;
}

/** The `week`-th such day of the month, 5 for the last one; Sunday is 0. */
function weekdayOfMonth(year: number, month: number, week: number, weekday: number): number {
  const first = daysTo(year, month, 1);
  const next = month === 12 ? daysTo(year + 1, 1, 1) : daysTo(year, month + 1, 1);
  // 1 January 1970 was a Thursday.
  const firstWeekday = (((first + 4) % 7) + 7) % 7;
  const day = first + ((weekday - firstWeekday + 7) % 7) + (week - 1) * 7;
  return day < next ? day : day - 7;
}

function daysTo(year: number, month: number, day: number): number {
  // Date.UTC would take years below 100 for those of the twentieth century.
  return new Date(0).setUTCFullYear(year, month - 1, day) / 1000 / DAY;
}

function isLeap(year: number): boolean {
  return daysTo(year, 3, 1) - daysTo(year, 2, 1) === 29;
}
