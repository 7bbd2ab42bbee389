/** Runs the contestants of a line in turn, so that whatever else the machine does meanwhile meets all of them alike. */
import type { Bench } from './bench.ts';
import type { Contestant, Line } from './line.ts';
import type { Figures, Title } from './pair.ts';
import { ticksOfEndedChildren } from './process-figures.ts';

/** Of one contestant, in milliseconds. */
export interface Spread {
  readonly name: string;
  readonly median: number;
  readonly least: number;
  readonly most: number;
  /** Processor time of one run, the mean of all; for steward that of the pair, for programs their own. Ticks of 10 ms. */
  readonly processor: number;
}

export interface Measured {
  readonly line: string;
  readonly note: string;
  readonly rounds: number;
  readonly ours: Spread;
  readonly peers: readonly Spread[];
  /** What the pair did meanwhile; undefined when none was started. */
  readonly figures: Readonly<Record<Title, Figures>> | undefined;
  /** Why nothing was measured. */
  readonly why: string | undefined;
  /** Figures that are no comparison, in words. */
  readonly told?: readonly string[];
}

interface Tally {
  readonly contestant: Contestant;
  readonly times: number[];
  processor: number;
}

/** Runs a line: once to warm up, then so many rounds of each in turn. */
export async function measureLine(line: Line, bench: Bench, usualRounds: number): Promise<Measured> {
  const prepared = await line.prepare(bench);
  try {
    const { contestants, note = '', rounds = usualRounds, figures: tell } = prepared;
    if (tell !== undefined) return { ...notMeasured(line, ''), note, told: await tell() };
    if (contestants === undefined) return notMeasured(line, prepared.why ?? 'not here');
    const tallies = contestants.map((contestant): Tally => ({ contestant, times: [], processor: 0 }));
    for (const { contestant } of tallies) await contestant.run();
    await bench.measured?.reset();
    for (let round = 0; round < rounds; round++) {
      // whoever comes first meets colder caches: take turns
      for (const tally of round % 2 === 0 ? tallies : [...tallies].reverse()) await runOnce(tally, bench);
    }
    const figures = await bench.measured?.figures();
    const [ours, ...peers] = tallies.map((tally) => spreadOf(tally, rounds));
    if (ours === undefined) throw new Error(`${line.name} compares nothing`);
    return { line: line.name, note, rounds, ours, peers, figures, why: undefined };
  } finally {
    await prepared.close?.();
    await bench.endLine();
  }
}

async function runOnce(tally: Tally, bench: Bench): Promise<void> {
  const ofPairAndPrograms = (): number => (bench.measured?.processorTime() ?? 0) + ticksOfEndedChildren();
  const used = tally.contestant.processor ?? ofPairAndPrograms;
  const before = used();
  const begin = performance.now();
  const own = await tally.contestant.run();
  tally.times.push(own ?? performance.now() - begin);
  tally.processor += used() - before;
}

function spreadOf({ contestant, times, processor }: Tally, rounds: number): Spread {
  const sorted = [...times].sort((a, b) => a - b);
  const at = (index: number): number => sorted[index] ?? 0;
  const middle = sorted.length >> 1;
  const median = sorted.length % 2 === 1 ? at(middle) : (at(middle - 1) + at(middle)) / 2;
  return { name: contestant.name, median, least: at(0), most: at(sorted.length - 1), processor: processor / rounds };
}

function notMeasured(line: Line, why: string): Measured {
  const none: Spread = { name: '', median: 0, least: 0, most: 0, processor: 0 };
  return { line: line.name, note: '', rounds: 0, ours: none, peers: [], figures: undefined, why };
}
