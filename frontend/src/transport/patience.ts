/** How long a reader may take nothing before it is given up. */

/** In milliseconds: with much waiting for it, and with little. */
export interface Patience {
  readonly heavyMs: number;
  readonly lightMs: number;
}
export const PATIENCE: Patience = { heavyMs: 15_000, lightMs: 60_000 };

/** What may wait before a reader that stands still is given up early, in bytes. */
const HEAVY_BYTES = 4 * 1024 * 1024;

/**
 * Waits for `moved`. Calls `giveUp` once the reader has stood still for too long; that should make `moved` settle.
 *
 * @param waiting about how many bytes wait for the reader
 */
export async function patiently(
  moved: Promise<void>,
  waiting: () => number,
  giveUp: () => void,
  { heavyMs, lightMs }: Patience = PATIENCE,
): Promise<void> {
  const began = performance.now();
  const watch = setInterval(() => {
    const stood = performance.now() - began;
    if (stood >= lightMs || (stood >= heavyMs && waiting() > HEAVY_BYTES)) giveUp();
  }, heavyMs / 4);
  await moved.finally(() => clearInterval(watch));
}
