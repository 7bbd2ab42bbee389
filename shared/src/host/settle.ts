/**
 * What starting a process or a thread leaves behind (the text of the program as it was read, parsed configuration, half of a heap) is
 * given back once, a little later: the engine would keep it until its heap has grown. From then on it also knows how much is in use:
 * a thread with small jobs would otherwise fill its first heap for many minutes before it collects anything. Trusted with nothing.
 */

/** Long enough for whoever waited for the start to be served first. */
const AFTER_MS = 2_000;

/** Collects garbage once, soon. Does nothing in a process that was started without `--expose-gc`. */
export function settleAfterStart(): void {
  setTimeout(() => globalThis.gc?.({ type: 'major', execution: 'sync', flavor: 'last-resort' }), AFTER_MS).unref();
}
