/**
 * Which test files there are, by tier. The runner is given explicit files, because left to itself it would run every helper that
 * lies in a folder called test.
 */
import { WORKSPACES, filesIn, isTest } from '../../scripts/lib/sources.ts';

export interface Tier {
  readonly name: string;
  /** Relative to the repository. */
  readonly files: readonly string[];
  /** Files that run at once. */
  readonly concurrency: number;
  /** Milliseconds that one file may take. */
  readonly timeoutMs: number;
  /** A file that failed beside others is run once more alone; what attacks find counts at once. */
  readonly secondRun: boolean;
}

/** What a run of the fuzzers alone was asked for. */
const FUZZ_MS = Number(process.env['STEWARD_FUZZ_MINUTES'] ?? 0) * 60_000;

/** What runs of the attacks were asked for take longer: a kill with its recovery some seconds, and each race and call their time. */
const ATTACK_MS =
  Number(process.env['STEWARD_ATTACK_KILLS'] ?? 0) * 5000 +
  Number(process.env['STEWARD_ATTACK_SWAPS'] ?? 0) * 3 +
  Number(process.env['STEWARD_ATTACK_SECONDS'] ?? 0) * 100_000 +
  Number(process.env['STEWARD_ATTACK_CALLS'] ?? 0) * 50;

/** Folders and pace of each tier, in the order in which they run. `inAll`: part of a run that names no tier. */
const TIERS = [
  { name: 'unit', folders: [...WORKSPACES, 'scripts'], concurrency: 2, timeoutMs: 60_000, inAll: true },
  { name: 'pair', folders: ['test/pair'], concurrency: 2, timeoutMs: 180_000, inAll: true },
  { name: 'attack', folders: ['test/attack'], concurrency: 1, timeoutMs: 300_000 + ATTACK_MS, inAll: true },
  { name: 'load', folders: ['test/load'], concurrency: 1, timeoutMs: 2_400_000, inAll: true },
  { name: 'clients', folders: ['test/clients'], concurrency: 1, timeoutMs: 180_000, inAll: true },
  { name: 'cli', folders: ['test/cli'], concurrency: 2, timeoutMs: 180_000, inAll: true },
  { name: 'host', folders: ['test/host'], concurrency: 1, timeoutMs: 600_000, inAll: true },
  { name: 'machine', folders: ['test/machine'], concurrency: 1, timeoutMs: 2_400_000, inAll: true },
  { name: 'package', folders: ['test/package'], concurrency: 1, timeoutMs: 600_000, inAll: true },
  { name: 'engine', folders: ['test/engine'], concurrency: 1, timeoutMs: 300_000, inAll: true },
  { name: 'fuzz', folders: ['test/fuzz'], concurrency: 1, timeoutMs: 300_000 + FUZZ_MS, inAll: true },
] as const;

/**
 * The tiers to run. `names`: comma-separated, empty for all of a usual run; `files`: separated by spaces, instead of any tier.
 * Throws for an unknown tier and for one that was named but has no files.
 */
export function chosenTiers(names = '', files = ''): Tier[] {
  const single = files.split(/\s+/).filter((file) => file !== '');
  if (single.length > 0) return [{ name: 'files', files: single, concurrency: 1, timeoutMs: 900_000, secondRun: false }];
  const wanted = names.split(',').filter((name) => name !== '');
  const unknown = wanted.find((name) => !TIERS.some((tier) => tier.name === name));
  if (unknown !== undefined) throw new Error(`unknown tier ${unknown}: there are ${TIERS.map((tier) => tier.name).join(', ')}`);
  const chosen = TIERS.filter((tier) => (wanted.length === 0 ? tier.inAll : wanted.includes(tier.name)));
  return chosen.map(({ name, folders, concurrency, timeoutMs }) => {
    const secondRun = wanted.length === 0 && name !== 'attack' && name !== 'fuzz';
    const found = filesIn(folders, isTest);
    if (found.length === 0 && wanted.includes(name)) throw new Error(`tier ${name} has no files`);
    return { name, files: found, concurrency, timeoutMs, secondRun };
  });
}
