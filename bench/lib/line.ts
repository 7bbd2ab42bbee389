/** What a line of the benchmark is: one comparison of steward with what one would use instead. */
import type { Bench } from './bench.ts';

/** One of those that are compared. */
export interface Contestant {
  /** As the report names it: `files/find`, `find(1)`. */
  readonly name: string;
  /**
   * Does the work once. Its time is taken from call to settlement, unless it resolves to a number: milliseconds that it measured
   * itself (for figures that are no whole call, such as a percentile). Less is always better.
   */
  readonly run: () => Promise<number | undefined>;
  /** Processor time used so far, in milliseconds, of one that is neither the pair nor a child that ends with the run. */
  readonly processor?: () => number;
}

/** A line that is ready to be run. */
export interface Prepared {
  /** Undefined when this machine cannot show it; `why` then says what is missing. */
  readonly contestants?: readonly [ours: Contestant, ...peers: Contestant[]];
  readonly why?: string;
  /** Figures instead of a comparison, each with its words: memory, growth. */
  readonly figures?: () => Promise<readonly string[]>;
  /** Said in the report: how many entries, which tree. */
  readonly note?: string;
  /** Rounds, when other than usual. */
  readonly rounds?: number;
  /** Takes away what was prepared. */
  readonly close?: () => void | Promise<void>;
}

export interface Line {
  /** What `ONLY=` is compared with: a line is run when its name contains one of the words. */
  readonly name: string;
  /** Run only when it was asked for by name: it takes long or much room. */
  readonly onRequest?: true;
  /** Makes what is compared: files, processes, sockets. */
  readonly prepare: (bench: Bench) => Promise<Prepared>;
}

/** Every file in bench/lines exports one or more lines under this name. */
export interface LineModule {
  readonly lines: readonly Line[];
}
