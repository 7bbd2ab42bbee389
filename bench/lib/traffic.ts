/** Many calls one after the other or at once, and what they took. */

/** So many calls, always `inFlight` of them under way. Resolves to the milliseconds that each took, in the order of their ends. */
export async function makeCalls(call: () => Promise<unknown>, count: number, inFlight: number): Promise<number[]> {
  const times: number[] = [];
  let begun = 0;
  const lane = async (): Promise<void> => {
    while (begun < count) {
      begun += 1;
      const begin = performance.now();
      await call();
      times.push(performance.now() - begin);
    }
  };
  await Promise.all(Array.from({ length: inFlight }, lane));
  return times;
}

/** Calls under way at most at a steady pace: half of what the server lets one session wait for. */
const MOST_UNDER_WAY = 512;

/**
 * Starts calls at a steady pace, whether or not earlier ones have ended, and waits for all. Milliseconds of each. On a machine that
 * cannot keep the pace it falls behind instead of being refused.
 */
export async function steadyCalls(call: () => Promise<unknown>, perSecond: number, seconds: number): Promise<number[]> {
  const times: number[] = [];
  const running: Promise<void>[] = [];
  const began = performance.now();
  for (let made = 0; made < perSecond * seconds; made += 1) {
    const due = began + (made * 1000) / perSecond;
    const early = due - performance.now();
    if (early > 0) await new Promise((done) => setTimeout(done, early));
    while (made - times.length >= MOST_UNDER_WAY) await new Promise((done) => setTimeout(done, 10));
    const begin = performance.now();
    running.push(call().then(() => void times.push(performance.now() - begin)));
  }
  await Promise.all(running);
  return times;
}

/** The value below which a share of all lies; 0.5 is the median. */
export function percentile(values: readonly number[], share: number): number {
  const sorted = [...values].sort((a, b) => a - b);
  return sorted[Math.min(sorted.length - 1, Math.floor(sorted.length * share))] ?? 0;
}
