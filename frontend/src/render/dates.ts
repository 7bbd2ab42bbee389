/** Times of directory listings. Pure functions. */

const MONTHS = ['Jan', 'Feb', 'Mar', 'Apr', 'May', 'Jun', 'Jul', 'Aug', 'Sep', 'Oct', 'Nov', 'Dec'];
const HOUR_MS = 3_600_000;
/** Half of a mean Gregorian year of 365.2425 days. */
const SIX_MONTHS_MS = 15_778_476_000;

/**
 * As `ls -l`: `Nov 20 11:33`, or with the year (`Jan  2  2025`) when more than six months ago or more than an hour ahead.
 * `modified` is host local time `YYYY-MM-DD HH:MM:SS`; anything else is given back as it is.
 */
export function listingDate(modified: string, now: number): string {
  const parts = /^(\d{4,})-(\d\d)-(\d\d) (\d\d):(\d\d):(\d\d)$/.exec(modified);
  if (parts === null) return modified;
  const [year, month, day, hour, minute, second] = parts.slice(1).map(Number) as [number, number, number, number, number, number];
  const time = new Date(year, month - 1, day, hour, minute, second).getTime();
  const recent = now - time <= SIX_MONTHS_MS && time - now <= HOUR_MS;
  const date = `${MONTHS[month - 1] ?? '???'} ${String(day).padStart(2)}`;
  return recent ? `${date} ${modified.slice(-8, -3)}` : `${date}  ${String(year)}`;
}
