/** Long lists without long pauses: whatever else the process has to do gets its turn in between. */
import { setImmediate } from 'node:timers/promises';

const PER_TURN = 64;

/** Calls `each` for every item, in order, one after the other. */
export async function inTurns<T>(list: readonly T[], each: (item: T) => void | Promise<void>): Promise<void> {
  for (const [index, item] of list.entries()) {
    if (index > 0 && index % PER_TURN === 0) await setImmediate();
    const done = each(item);
    if (done !== undefined) await done;
  }
}
