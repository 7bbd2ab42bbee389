/** What only work needs that lasts: most is done before the event loop turns, and then clocks and listeners were made for nothing. */

const waiting: (() => void)[] = [];

/** Calls it once the event loop has turned, together with all that wait for that. `prepare` looks whether it is still needed. */
export function nextTurn(prepare: () => void): void {
  if (waiting.push(prepare) > 1) return;
  setImmediate(() => {
    for (const each of waiting.splice(0)) each();
  });
}
