/**
 * The pair as the benchmark runs it: the built programs under the launcher with the flags that ship, over TLS. The two daemons have
 * one addition, the probe of their event loops.
 */
import { cpSync, mkdtempSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { DIST, eventually, startPair, type Pair, type PairOptions } from '../../test/support/pair.ts';
import { peakOf, resetPeak, ticksOf } from './process-figures.ts';

export const TITLES = ['steward-frontend', 'steward-broker'] as const;
export type Title = (typeof TITLES)[number];

/** Of one daemon since the figures were reset. */
export interface Figures {
  /** The longest time for which the event loop did nothing else, in milliseconds. */
  readonly blocked: number;
  /** The highest resident memory, in MB (10^6 bytes). */
  readonly peak: number;
}

export interface BenchPair {
  readonly pair: Pair;
  /** Begins to measure anew. */
  reset(): Promise<void>;
  figures(): Promise<Record<Title, Figures>>;
  /** Processor time that both have used so far, in milliseconds. */
  processorTime(): number;
  stop(): Promise<void>;
}

/** A copy of dist/ in which both daemons watch their event loops. */
function probedPrograms(): string {
  const directory = mkdtempSync(join(tmpdir(), 'steward-bench-'));
  cpSync(DIST, directory, { recursive: true });
  const probe = readFileSync(fileURLToPath(new URL('./probe.js', import.meta.url)), 'utf8');
  for (const name of ['frontend.js', 'broker.js']) {
    writeFileSync(join(directory, name), `${probe}\n${readFileSync(join(DIST, name), 'utf8')}`);
  }
  return directory;
}

/** Starts a pair; see `startPair` for the options. */
export async function startBenchPair(options: PairOptions = {}): Promise<BenchPair> {
  const dist = probedPrograms();
  const drop = (): void => rmSync(dist, { recursive: true, force: true });
  const pair = await startPair({ ...options, dist }).catch((error: unknown) => {
    drop();
    throw error;
  });
  const pidOf = (title: Title): number => pair.pids(title)[0] ?? 0;
  return {
    pair,
    reset: async () => {
      for (const title of TITLES) {
        await blockedTime(pair, pidOf(title));
        resetPeak(pidOf(title));
      }
    },
    figures: async () => {
      const of = async (title: Title): Promise<Figures> => {
        const pid = pidOf(title);
        return { blocked: await blockedTime(pair, pid), peak: peakOf(pid) };
      };
      return { 'steward-frontend': await of('steward-frontend'), 'steward-broker': await of('steward-broker') };
    },
    processorTime: () => TITLES.reduce((sum, title) => sum + ticksOf(pidOf(title)), 0),
    stop: async () => {
      await pair.stop();
      drop();
    },
  };
}

/** Asks the probe of a daemon, which begins anew with that. */
async function blockedTime(pair: Pair, pid: number): Promise<number> {
  const said = pair.output().length;
  process.kill(pid, 'SIGUSR2');
  const answer = new RegExp(`^bench-loop ${pid} ([0-9.]+)$`, 'm');
  return eventually(() => {
    const blocked = answer.exec(pair.output().slice(said))?.[1];
    return blocked === undefined ? undefined : Number(blocked);
  }, 30_000);
}
