/**
 * Compares whole calls with what one would use instead, in interleaved runs, and prints one line for each comparison.
 *
 *   ONLY="find packages"   lines whose name contains one of the words; those that take long are run only so
 *   ROUNDS=9               runs of each contestant (default 7)
 *   MARKDOWN=1             the table of docs/PERFORMANCE.md
 *   TREES=/var/tmp         where generated trees of a million entries are kept for the next run (default: removed at the end)
 */
import { readdirSync } from 'node:fs';
import { cpus, loadavg, release } from 'node:os';
import { Bench } from './lib/bench.ts';
import type { Line, LineModule } from './lib/line.ts';
import { measureLine } from './lib/measure.ts';
import { markdownHead, markdownRows, plainText } from './lib/report.ts';

const DEFAULT_ROUNDS = 7;

async function allLines(): Promise<Line[]> {
  const directory = new URL('./lines/', import.meta.url);
  const files = readdirSync(directory).filter((name) => name.endsWith('.ts'));
  const modules = await Promise.all(files.sort().map((name) => import(new URL(name, directory).href) as Promise<LineModule>));
  return modules.flatMap((module) => module.lines);
}

function chosen(lines: readonly Line[], words: string): Line[] {
  const wanted = words.split(/[\s,]+/).filter((word) => word !== '');
  if (wanted.length === 0) return lines.filter((line) => line.onRequest !== true);
  return lines.filter((line) => wanted.some((word) => line.name.includes(word)));
}

const load = (): string => loadavg()[0]?.toFixed(1) ?? '';

const lines = chosen(await allLines(), process.env['ONLY'] ?? '');
const rounds = Number(process.env['ROUNDS'] ?? DEFAULT_ROUNDS);
const markdown = process.env['MARKDOWN'] === '1';
const bench = new Bench();
let failed = 0;
console.log(
  `${cpus().length} processors, ${cpus()[0]?.model ?? ''}, Linux ${release()}, Node ${process.version}; load ${load()}\n`,
);
if (markdown) console.log(markdownHead());
try {
  for (const line of lines) {
    try {
      const measured = await measureLine(line, bench, rounds);
      console.log(markdown ? markdownRows(measured) : plainText(measured, load()));
    } catch (error) {
      failed++;
      console.error(`${line.name}: ${error instanceof Error ? (error.stack ?? error.message) : String(error)}`);
    }
  }
} finally {
  await bench.close();
}
if (lines.length === 0) console.error('no line has such a name');
process.exitCode = failed > 0 || lines.length === 0 ? 1 : 0;
