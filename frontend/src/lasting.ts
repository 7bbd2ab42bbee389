/** What only work needs that lasts: most is done within a few milliseconds, and then clocks and listeners were made for nothing. */

/** How long work may go on without them, in milliseconds: so much later it is told that it was cancelled, at most. */
const SHORT_MS = 10;

let waiting: (() => void)[] = [];

/** Calls it within a few milliseconds, together with all that wait for that. `prepare` looks whether it is still needed. */
export function ifItLasts(prepare: () => void): void {
  if (waiting.push(prepare) === 1) setTimeout(prepareAll, SHORT_MS);
}

function prepareAll(): void {
  const lasting = waiting;
  waiting = [];
  for (const each of lasting) each();
}
