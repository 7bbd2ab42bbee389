/**
 * Turns of the event loop. What only work needs that lasts waits for the next one: most is done before, and then clocks and listeners
 * were made for nothing. And large content gives everybody else a turn between its steps.
 */

/** Bytes that are decoded, parsed or copied without a turn in between: each of these steps takes some 20 ms for 16 MiB. */
export const AT_ONCE = 1024 * 1024;

const waiting: (() => void)[] = [];

/** Calls it once the event loop has turned, together with all that wait for that. `prepare` looks whether it is still needed. */
export function nextTurn(prepare: () => void): void {
  if (waiting.push(prepare) > 1) return;
  setImmediate(() => {
    for (const each of waiting.splice(0)) each();
  });
}
