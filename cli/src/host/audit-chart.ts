/** The chart of an audit report: calls over time as stacked bars, an SVG without scripts. Only numbers and times go into it. */
import type { Counts, Ending } from './audit-summary.ts';

/** From the bottom to the top. */
export const ENDINGS: readonly { readonly ending: Ending; readonly title: string }[] = [
  { ending: 'done', title: 'done' },
  { ending: 'failed', title: 'failed' },
  { ending: 'refused', title: 'refused' },
];

/** Lengths of a bar's time, in minutes. */
const STEPS = [1, 5, 15, 30, 60, 180, 360, 720, 1440, 10_080, 43_200, 525_600] as const;
const MOST_BARS = 72;
const [WIDTH, HEIGHT, LEFT, RIGHT, TOP, BOTTOM] = [960, 240, 52, 12, 12, 34];
const MINUTE_MS = 60_000;

interface Bar {
  /** First minute since the epoch. */
  readonly from: number;
  readonly counts: Readonly<Record<Ending, number>>;
}

interface Bars {
  readonly step: number;
  readonly bars: readonly Bar[];
}

function barsOf(minutes: readonly (readonly [number, Counts])[]): Bars {
  const [first, last] = [minutes[0]?.[0] ?? 0, minutes.at(-1)?.[0] ?? 0];
  const fitting = STEPS.find((step) => Math.floor(last / step) - Math.floor(first / step) < MOST_BARS);
  const step = fitting ?? Math.ceil((last - first + 1) / MOST_BARS);
  const start = Math.floor(first / step);
  const bars = Array.from({ length: Math.floor(last / step) - start + 1 }, (_, index) => ({
    from: (start + index) * step,
    counts: { done: 0, failed: 0, refused: 0 },
  }));
  for (const [minute, counts] of minutes) {
    const bar = bars[Math.floor(minute / step) - start];
    for (const { ending } of ENDINGS) if (bar !== undefined) bar.counts[ending] += counts[ending];
  }
  return { step, bars };
}

/** A round number at or above `most`, and the distance of the lines below it. */
function scaleOf(most: number): { readonly top: number; readonly line: number } {
  const magnitude = 10 ** Math.floor(Math.log10(Math.max(1, most / 4)));
  const line = [1, 2, 5, 10].map((factor) => factor * magnitude).find((each) => each * 4 >= most) ?? magnitude * 10;
  return { top: Math.max(line, Math.ceil(most / line) * line), line };
}

/** `2026-11-20 14:05`, in UTC; the day alone where bars are days. */
function label(minute: number, step: number): string {
  const text = new Date(minute * MINUTE_MS).toISOString().replace('T', ' ');
  return text.slice(0, step >= 1440 ? 10 : 16);
}

const place = (value: number): string => String(Math.round(value * 10) / 10);

/** The chart, or nothing for a log without calls. */
export function chart(minutes: readonly (readonly [number, Counts])[]): string {
  if (minutes.length === 0) return '';
  const { step, bars } = barsOf(minutes);
  const total = ({ counts }: Bar): number => counts.done + counts.failed + counts.refused;
  const { top, line } = scaleOf(Math.max(...bars.map(total)));
  const [width, height] = [(WIDTH - LEFT - RIGHT) / bars.length, HEIGHT - TOP - BOTTOM];
  const y = (count: number): number => TOP + height - (count / top) * height;
  const lines = Array.from({ length: top / line + 1 }, (_, index) => {
    const at = place(y(index * line));
    return `<line x1="${LEFT}" x2="${WIDTH - RIGHT}" y1="${at}" y2="${at}"/><text x="${LEFT - 8}" y="${at}" dy="4" text-anchor="end">${index * line}</text>`;
  });
  const drawn = bars.map((bar, index) => drawBar(bar, step, LEFT + index * width, Math.min(width * 0.8, 48), y));
  const labelled = [...new Set([0, Math.floor((bars.length - 1) / 2), bars.length - 1])].map((index) => {
    const anchor = bars.length === 1 || index === 0 ? 'start' : index === bars.length - 1 ? 'end' : 'middle';
    const x = LEFT + (anchor === 'end' ? bars.length : anchor === 'start' ? 0 : index + 0.5) * width;
    return `<text x="${place(x)}" y="${HEIGHT - 12}" text-anchor="${anchor}">${label(bars[index]?.from ?? 0, step)}</text>`;
  });
  return `<svg viewBox="0 0 ${WIDTH} ${HEIGHT}" role="img" aria-label="Calls over time">\n<g class="axis">${[...lines, ...labelled].join('')}</g>\n${drawn.join('\n')}\n</svg>`;
}

/** One bar with a tooltip; nothing for a time in which nothing happened. */
function drawBar({ from, counts }: Bar, step: number, x: number, width: number, y: (count: number) => number): string {
  let below = 0;
  const parts = ENDINGS.filter(({ ending }) => counts[ending] > 0).map(({ ending }) => {
    const [bottom, top] = [y(below), y((below += counts[ending]))];
    const size = `x="${place(x)}" y="${place(top)}" width="${place(width)}" height="${place(Math.max(1, bottom - top))}"`;
    return `<rect class="${ending}" ${size}/>`;
  });
  if (parts.length === 0) return '';
  const said = ENDINGS.map(({ ending, title }) => `${counts[ending]} ${title}`).join(', ');
  return `<g><title>${label(from, step)} UTC: ${said}</title>${parts.join('')}</g>`;
}
