/**
 * Times as systemctl writes them (systemd.time(7)): stamps in UTC, and spans such as `1d 2h 3min 4.5s`. Pure functions.
 */

/** Microseconds per unit of a span; a month and a year are means, as systemd counts them. */
const UNITS: Readonly<Record<string, number>> = {
  us: 1,
  μs: 1,
  ms: 1000,
  s: 1_000_000,
  min: 60_000_000,
  h: 3_600_000_000,
  d: 86_400_000_000,
  w: 604_800_000_000,
  month: 2_629_800_000_000,
  y: 31_557_600_000_000,
};

/** Both clocks at one moment. */
export interface Clocks {
  /** Milliseconds since 1970. */
  readonly wall: number;
  /** Milliseconds of CLOCK_MONOTONIC, which systemd counts elapses in: since boot, without the time asleep. */
  readonly monotonic: number;
}

export function clocksNow(): Clocks {
  return { wall: Date.now(), monotonic: Number(process.hrtime.bigint() / 1_000_000n) };
}

/** Milliseconds since 1970 of `Sat 2026-11-21 06:04:35 UTC` (the fraction is optional), or undefined for anything else. */
export function parseStamp(text: string): number | undefined {
  const parts = /^(?:[A-Z][a-z]{2} )?(\d{4,}-\d\d-\d\d) (\d\d:\d\d:\d\d(?:\.\d+)?) UTC$/.exec(text);
  const time = parts === null ? NaN : Date.parse(`${parts[1] ?? ''}T${parts[2] ?? ''}Z`);
  return Number.isNaN(time) ? undefined : time;
}

/** Milliseconds of a span, or undefined for anything else (`infinity`, empty). */
export function parseSpan(text: string): number | undefined {
  if (!/^\d/.test(text)) return undefined;
  let microseconds = 0;
  for (const word of text.split(' ')) {
    const [, amount, unit = 'us'] = /^(\d+(?:\.\d+)?)([a-zμ]+)?$/.exec(word) ?? [];
    if (amount === undefined || !Object.hasOwn(UNITS, unit)) return undefined;
    microseconds += Number(amount) * (UNITS[unit] ?? 0);
  }
  return microseconds / 1000;
}

/** RFC 3339 in UTC with whole seconds, or `never`. */
export function timeOrNever(milliseconds: number | undefined): string {
  if (milliseconds === undefined) return 'never';
  const time = new Date(Math.round(milliseconds / 1000) * 1000);
  return Number.isNaN(time.getTime()) ? 'never' : time.toISOString().replace('.000Z', 'Z');
}
