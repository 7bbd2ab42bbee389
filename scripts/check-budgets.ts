/**
 * The size budgets and the few rules of style that neither compiler nor lint knows: how long files and functions are, that every
 * file says what it is for, that the root side stays readable in one sitting, and that no words of a development machine are in it.
 */
import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import ts from 'typescript';
import { ROOT, WORKSPACES, filesIn, isProduct } from './lib/sources.ts';

const FILE_LINES = 250;
const MEDIAN_FILE_LINES = 90;
const FUNCTION_LINES = 80;
const P90_FUNCTION_LINES = 40;
const BROKER_LINES = 2000;

/** Paths and marks of a developer's machine, and unfinished work; put together so that this file passes its own check. */
const WORDS = [
  /\/work[/](main|shared|\.)/,
  /\/home[/](?!alice|bob|user|ops)\w/,
  /\b(TO[D]O|FIX[M]E|XX[X]|HA[C]K)\b/,
  /\bissue #?\d+\b/i,
];

interface Source {
  readonly file: string;
  readonly text: string;
  readonly lines: number;
}

const problems: string[] = [];

function read(file: string): Source {
  const text = readFileSync(join(ROOT, file), 'utf8');
  return { file, text, lines: text.split('\n').length - (text.endsWith('\n') ? 1 : 0) };
}

/** The value below which the given share (0 to 1) of the numbers lies. */
function quantile(numbers: readonly number[], share: number): number {
  const sorted = [...numbers].sort((a, b) => a - b);
  return sorted[Math.min(sorted.length - 1, Math.floor(sorted.length * share))] ?? 0;
}

/** Lengths in lines of all functions of a file that have a body, with where they begin. */
function functionsOf(source: Source): { where: string; lines: number }[] {
  const tree = ts.createSourceFile(source.file, source.text, ts.ScriptTarget.ESNext, true);
  const found: { where: string; lines: number }[] = [];
  const visit = (node: ts.Node): void => {
    if (ts.isFunctionLike(node) && 'body' in node && node.body !== undefined) {
      const first = tree.getLineAndCharacterOfPosition(node.getStart()).line;
      const last = tree.getLineAndCharacterOfPosition(node.end).line;
      found.push({ where: `${source.file}:${first + 1}`, lines: last - first + 1 });
    }
    ts.forEachChild(node, visit);
  };
  visit(tree);
  return found;
}

function checkFile(source: Source): void {
  if (source.lines > FILE_LINES) problems.push(`${source.file}: ${source.lines} lines, at most ${FILE_LINES}`);
  if (!/^(#![^\n]*\n)?\/(\*\*|\/)/.test(source.text))
    problems.push(`${source.file}: does not begin with a comment that says what it is for`);
  source.text.split('\n').forEach((line, index) => {
    const word = WORDS.find((pattern) => pattern.test(line));
    if (word !== undefined) problems.push(`${source.file}:${index + 1}: does not belong here: ${word.exec(line)?.[0] ?? ''}`);
  });
}

const isSource = (name: string): boolean => /\.(ts|mjs)$/.test(name);
const all = filesIn([...WORKSPACES, 'scripts', 'test', 'bench'], isSource).map(read);
all.forEach(checkFile);

const product = all.filter(({ file }) => isProduct(file) && !file.startsWith('test/') && !file.startsWith('bench/'));
const fileLines = product.map((source) => source.lines);
const functions = product.flatMap(functionsOf);
for (const { where, lines } of functions) {
  if (lines > FUNCTION_LINES) problems.push(`${where}: function of ${lines} lines, at most ${FUNCTION_LINES}`);
}
const median = quantile(fileLines, 0.5);
if (median > MEDIAN_FILE_LINES) problems.push(`half of all files are longer than ${median} lines, at most ${MEDIAN_FILE_LINES}`);
const p90 = quantile(
  functions.map((one) => one.lines),
  0.9,
);
if (p90 > P90_FUNCTION_LINES) problems.push(`one function in ten is longer than ${p90} lines, at most ${P90_FUNCTION_LINES}`);
// Operations have a row and perhaps a restriction in broker/src/ops: they grow with the catalogue, the core does not.
const core = product.filter(({ file }) => file.startsWith('broker/src/') && !file.startsWith('broker/src/ops/'));
const broker = core.reduce((sum, source) => sum + source.lines, 0);
if (broker > BROKER_LINES) problems.push(`broker/src without ops: ${broker} lines, at most ${BROKER_LINES}`);

console.log(
  `${product.length} files: median ${median} lines, longest ${Math.max(...fileLines)}; ${functions.length} functions: ` +
    `p90 ${p90} lines, longest ${Math.max(...functions.map((one) => one.lines))}; broker/src without ops ${broker} lines`,
);
if (problems.length > 0) {
  console.error(problems.join('\n'));
  process.exitCode = 1;
}
