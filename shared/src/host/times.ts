/** Times as people read them on this host. */

/** `YYYY-MM-DD HH:MM:SS` in the host's local time; `milliseconds` since 1970. */
export function localTime(milliseconds: number | bigint): string {
  const time = new Date(Number(milliseconds));
  if (Number.isNaN(time.getTime())) return '?';
  const date = [String(time.getFullYear()).padStart(4, '0'), two(time.getMonth() + 1), two(time.getDate())];
  return `${date.join('-')} ${[time.getHours(), time.getMinutes(), time.getSeconds()].map(two).join(':')}`;
}

function two(value: number): string {
  return String(value).padStart(2, '0');
}
