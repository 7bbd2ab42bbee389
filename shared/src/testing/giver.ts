/** A thread that gives a file to root at a chosen moment, for tests of what happens right then. It is ended from outside. */
import { chownSync } from 'node:fs';
import { workerData } from 'node:worker_threads';

/** `turns`: the round that begins, microseconds until the file is given away in it, the round that is over. */
const { path, turns } = workerData as { readonly path: string; readonly turns: Int32Array };
for (let round = 1; ; round += 1) {
  // a notice of the round before may come late: what counts is the number
  while (Atomics.load(turns, 0) < round) Atomics.wait(turns, 0, round - 1);
  for (const end = performance.now() + Atomics.load(turns, 1) / 1000; performance.now() < end;);
  chownSync(path, 0, 0);
  Atomics.store(turns, 2, round);
  Atomics.notify(turns, 2);
}
