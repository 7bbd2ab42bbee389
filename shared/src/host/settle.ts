/**
 * What starting a process or a thread leaves behind (the text of the program as it was read, parsed configuration, half of a heap) is
 * given back once, in the first calm moment some time later: the engine would keep it until its heap has grown. From then on it also
 * knows how much is in use: a thread with small jobs would otherwise fill its first heap for many minutes before it collects anything.
 *
 * So is what a burst leaves behind, once there is time for it. The engine lets its heap grow to several times what was in use at the
 * worst moment, and afterwards, with little to do, has no reason to collect: two hundred slow readers left 130 MB. Trusted with nothing.
 */
import type { EventLoopUtilization } from 'node:perf_hooks';

export interface Settling {
  /** Milliseconds until the first look, and on to the next while there is no calm: whoever waited for the start is served first. */
  readonly afterStart: number;
  /** Milliseconds between two looks at the heap once it has been collected. */
  readonly look: number;
  /**
   * A heap is collected when it holds, with its buffers, more than `times` what was in use after the last collection, and at least
   * `room` bytes more than that. A small heap goes by the room; a large one, whose collection takes long, by the times.
   */
  readonly times: number;
  readonly room: number;
}

const MIB = 1024 * 1024;
const PROCESS: Settling = { afterStart: 2_000, look: 30_000, times: 1.5, room: 8 * MIB };
/**
 * A pause of a worker thread holds up one call, and there are several threads. Those that start with their process have settled before
 * it does: two that collect at once wait for each other's processors.
 */
export const THREAD: Settling = { ...PROCESS, afterStart: 1_000, times: 1, room: 4 * MIB };
/** Part of the time between two looks for which the loop may have been busy; above it the engine has reason enough to collect. */
const CALM = 0.5;

/**
 * Collects garbage soon, and whenever much is left, in calm moments: a collection of everything stops the loop for 10 to 30 ms, and
 * several times as long where others want the processors. Does nothing in a process that was started without `--expose-gc`.
 */
export function settleAfterStart({ afterStart, look: everyMs, times, room }: Settling = PROCESS): void {
  if (globalThis.gc === undefined) return;
  let inUse = 0; // so that the first calm look collects
  const look = (before: EventLoopUtilization): void => {
    const now = performance.eventLoopUtilization();
    const { utilization } = performance.eventLoopUtilization(now, before);
    const { heapTotal, arrayBuffers } = process.memoryUsage();
    if (utilization < CALM && heapTotal + arrayBuffers > Math.max(times * inUse, inUse + room)) inUse = collect();
    setTimeout(look, inUse === 0 ? afterStart : everyMs, now).unref();
  };
  setTimeout(look, afterStart, performance.eventLoopUtilization()).unref();
}

/**
 * Collects at once what a large piece of work has just let go of, some megabytes: the engine would let the heap grow by 8 MiB or more
 * before it looks. Stops the thread for some milliseconds; does nothing in a process that was started without `--expose-gc`.
 */
export function collectNow(): void {
  globalThis.gc?.({ type: 'major', execution: 'sync' });
}

/** The same when all of the work is done: the room that it took in the heap is given back too, which takes some times as long. */
export function giveBack(): void {
  globalThis.gc?.({ type: 'major', execution: 'sync', flavor: 'last-resort' });
}

/** Bytes that were received since the last collection of young objects. */
let received = 0;
/** After so many of them what has been passed on is collected. */
const MOST_RECEIVED = 2 * MIB;

/**
 * Counts bytes that came from another thread: the engine does not, and would leave a hundred buffers lying about that were passed on
 * long ago, since nothing else is made meanwhile.
 */
export function countReceived(bytes: number): void {
  received += bytes;
  if (received < MOST_RECEIVED) return;
  received = 0;
  globalThis.gc?.({ type: 'minor', execution: 'sync' });
}

/** Bytes in use afterwards. */
function collect(): number {
  giveBack();
  return process.memoryUsage().heapUsed;
}
