/**
 * The one runner of all tests. Says plainly what was left out and why, and ends with the line `N passed, N failed, N skipped`.
 * Exit status 1 when a test failed or none ran, with STEWARD_REQUIRE_ALL=1 also when one was left out. In a run of everything a
 * file that failed while others kept the machine busy gets a second run alone, and the summary names it.
 *
 *   TIER=unit,pair   only these tiers        FILES="a b"   only these files
 */
import { ROOT } from '../scripts/lib/sources.ts';
import { type FileResult, runFile } from './support/run-file.ts';
import { type Tier, chosenTiers } from './support/tiers.ts';

const results: FileResult[] = [];
const secondRuns: string[] = [];

/** Runs the files of a tier, so many at once; each is reported when it has ended. */
async function runTier(tier: Tier): Promise<void> {
  console.log(`\n== ${tier.name}: ${tier.files.length} files`);
  const waiting = [...tier.files];
  const again: string[] = [];
  const lane = async (): Promise<void> => {
    for (let file = waiting.shift(); file !== undefined; file = waiting.shift()) {
      const result = await runFile(file, tier.timeoutMs);
      report(file, result);
      if (result.failed > 0 && tier.secondRun) again.push(file);
      else results.push(result);
    }
  };
  await Promise.all(Array.from({ length: tier.concurrency }, lane));
  for (const file of again) {
    const result = await runFile(file, tier.timeoutMs);
    report(file, result);
    results.push(result);
    if (result.failed === 0) secondRuns.push(file);
  }
}

const leftBehind: string[] = [];

function report(file: string, result: FileResult): void {
  leftBehind.push(...result.leftBehind.map((name) => `${file}: ${name}`));
  if (result.failed > 0) console.log(`\n${result.text.trimEnd()}\n`);
  console.log(`${result.failed > 0 ? 'FAILED' : 'ok    '} ${file} (${counted(result)}, ${result.seconds.toFixed(1)} s)`);
}

function counted(counts: Pick<FileResult, 'passed' | 'failed' | 'skipped'>): string {
  return `${counts.passed} passed, ${counts.failed} failed, ${counts.skipped} skipped`;
}

function sum(key: 'passed' | 'failed' | 'skipped'): number {
  return results.reduce((total, result) => total + result[key], 0);
}

if (process.argv.length > 2) {
  console.error('no arguments: choose with TIER=unit,pair or FILES="a b"');
  process.exit(2);
}
process.chdir(ROOT);
const tiers = chosenTiers(process.env['TIER'], process.env['FILES']);
for (const tier of tiers) await runTier(tier);

const total = { passed: sum('passed'), failed: sum('failed'), skipped: sum('skipped') };
const leftOut = results.flatMap((result) => result.leftOut);
if (process.getuid?.() !== 0) console.log('\nThis is not root: what only root can show was not tried.');
if (leftOut.length > 0) console.log(`\nLeft out:\n${leftOut.map((line) => `  ${line}`).join('\n')}`);
if (leftBehind.length > 0)
  console.log(`\nNot removed by the tests that made it:\n${leftBehind.map((line) => `  ${line}`).join('\n')}`);
if (secondRuns.length > 0) console.log(`\nPassed only when run alone:\n${secondRuns.map((file) => `  ${file}`).join('\n')}`);
console.log(`\n${counted(total)}`);
const incomplete = total.skipped > 0 && process.env['STEWARD_REQUIRE_ALL'] === '1';
process.exitCode = total.failed > 0 || total.passed === 0 || incomplete ? 1 : 0;
