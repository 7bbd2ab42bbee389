/** For unit tests: waits for what comes in its own time. */
import { setTimeout as sleep } from 'node:timers/promises';

/** Waits until the condition holds; fails after half a minute. */
export async function eventually(condition: () => boolean): Promise<void> {
  for (const end = Date.now() + 30_000; !condition(); await sleep(10)) {
    if (Date.now() > end) throw new Error('the condition never held');
  }
}
