/** Times as people read them on this host. */

/** `YYYY-MM-DD HH:MM:SS` in the host's local time; `milliseconds` since 1970. */
export function localTime(milliseconds: number | bigint): string {
  const time = new Date(Number(milliseconds));
  if (Number.isNaN(time.getTime())) return '?';
  const date = [String(time.getFullYear()).padStart(4, '0'), two(time.getMonth() + 1), two(time.getDate())];
  return `${date.join('-')} ${[time.getHours(), time.getMinutes(), time.getSeconds()].map(two).join(':')}`;
}

/** Seconds of the last second that RFC 3339 can write. */
const LAST_SECOND = 253_402_300_799;

/** RFC 3339 in UTC, `2026-11-20T10:33:02Z`; `seconds` since 1970. What is no such time is shown as the beginning of 1970. */
export function utcTime(seconds: number): string {
  const shown = seconds >= 0 && seconds <= LAST_SECOND ? Math.floor(seconds) : 0;
  return new Date(shown * 1000).toISOString().replace('.000Z', 'Z');
}

function two(value: number): string {
  return String(value).padStart(2, '0');
}
