/**
 * Goes in front of the frontend's and the broker's programs in the benchmark's copy of dist/, and only there: watches for how long
 * the event loop was blocked and says so when asked with SIGUSR2.
 */
import { monitorEventLoopDelay as benchDelay } from 'node:perf_hooks';
import { writeSync as benchWrite } from 'node:fs';

/** Milliseconds between two looks at the loop; part of every delay that the histogram holds. */
const BENCH_RESOLUTION = 5;
const benchHistogram = benchDelay({ resolution: BENCH_RESOLUTION });
benchHistogram.enable();
process.on('SIGUSR2', () => {
  const blocked = Math.max(0, benchHistogram.max / 1e6 - BENCH_RESOLUTION);
  benchHistogram.reset();
  benchWrite(2, `\nbench-loop ${process.pid} ${blocked.toFixed(1)}\n`);
});
