/** Byte counts for people, in the two styles that the tools use. Pure functions. */

const LETTERS = ['', 'K', 'M', 'G', 'T', 'P', 'E'];
const UNITS = ['B', 'KiB', 'MiB', 'GiB', 'TiB', 'PiB', 'EiB'];

/** As `ls -h`: powers of 1024, rounded up, one decimal below 10: `987`, `4.0K`, `12K`. */
export function sizeAsLs(bytes: number): string {
  let value = bytes;
  let power = 0;
  while (Math.ceil(value) >= 1024 && power < LETTERS.length - 1) {
    value /= 1024;
    power += 1;
  }
  if (power === 0) return String(bytes);
  const tenths = Math.ceil(value * 10);
  return (tenths < 100 ? (tenths / 10).toFixed(1) : String(Math.ceil(value))) + (LETTERS[power] ?? '');
}

/** `512 B`, `20.0 KiB`, `89.5 MiB`: powers of 1024, one decimal, rounded to the nearest. */
export function sizeWithUnit(bytes: number): string {
  let value = bytes;
  let power = 0;
  // What would be shown as 1024.0 is 1.0 of the next unit.
  while (Math.round(value * 10) >= 10240 && power < UNITS.length - 1) {
    value /= 1024;
    power += 1;
  }
  return power === 0 ? `${String(bytes)} B` : `${value.toFixed(1)} ${UNITS[power] ?? ''}`;
}
