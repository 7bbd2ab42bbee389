/**
 * Runs one command line for several contexts at once. Text is labelled line by line, a document stands under the name of its
 * context, and the exit code is the highest one.
 */
import { noContext, readContexts } from './file.ts';
import { askYes, isInteractive } from '../call/prompt.ts';
import { EXIT, usageError } from '../exit.ts';
import type { Io, Output } from '../io.ts';
import { textOf, type Flags, type Format } from '../options.ts';
import { documentIn } from '../render/data.ts';
import { printDocument } from '../render/output.ts';

/** Forms in which the answers of all contexts make one document. */
const DOCUMENTS: readonly Format[] = ['json', 'yaml'];

/**
 * The contexts that a line is for, groups taken apart; undefined when it is for one, or none is named.
 *
 * @throws CliError (usage) for names that the file of contexts does not have
 */
export async function severalContexts(flags: Flags, io: Io): Promise<string[] | undefined> {
  const asked = textOf(flags, 'context');
  if (flags.has('all-contexts')) {
    if (asked !== undefined) throw usageError('--context and --all-contexts exclude each other');
    const { contexts, path } = await readContexts(io.env);
    if (contexts.size === 0) throw usageError(`there are no contexts in ${path}: stewardctl login URL makes one`);
    return [...contexts.keys()];
  }
  if (asked === undefined) return undefined;
  const file = await readContexts(io.env);
  const { contexts, groups } = file;
  const names = asked.split(',').flatMap((name) => groups.get(name) ?? [name]);
  const unknown = names.find((name) => !contexts.has(name));
  if (unknown !== undefined) throw noContext(file, unknown, true);
  if (names.length === 1) flags.set('context', names[0] ?? '');
  return names.length > 1 ? [...new Set(names)] : undefined;
}

function labelled(name: string, text: string): string {
  return text.replace(/^(?=[^\n])/gm, `${name}: `);
}

/** One question at a time, each answered before the next is asked. */
function inTurn(io: Io): (question: string) => Promise<boolean> {
  let last: Promise<unknown> = Promise.resolve();
  return (question) => {
    const answer = last.then(() => askYes(io, question));
    last = answer.catch(() => undefined);
    return answer;
  };
}

interface Ran {
  readonly exit: number;
  readonly text: string;
}

/** Runs one context; its errors are written at once, its answer is kept. */
async function runOne(name: string, io: Io, run: (name: string, io: Io) => Promise<number>): Promise<Ran> {
  let text = '';
  const { stdout, stderr } = io;
  const kept: Output = {
    write: (piece) => (text += piece),
    isTTY: stdout.isTTY === true,
    columns: Math.max(20, (stdout.columns ?? 80) - name.length - 2),
  };
  // Never a terminal: lines that are drawn again and again would be drawn over each other.
  const errors: Output = { write: (piece) => stderr.write(labelled(name, piece)), isTTY: false };
  const exit = await run(name, { ...io, stdin: io.stdin, stdout: kept, stderr: errors });
  return { exit, text };
}

/**
 * Runs a line for each context and prints the answers in the order of the names.
 *
 * @param run runs the line for one context; it must not reject
 */
export async function runSeveral(
  names: readonly string[],
  format: Format,
  io: Io,
  run: (name: string, io: Io) => Promise<number>,
): Promise<number> {
  const ask = isInteractive(io) ? inTurn(io) : undefined;
  const running = names.map((name) => {
    const confirm = ask === undefined ? {} : { confirm: (question: string) => ask(labelled(name, question)) };
    return runOne(name, { ...io, stdin: io.stdin, ...confirm }, run);
  });
  let worst: number = EXIT.done;
  const documents: [string, unknown][] = [];
  for (const [at, work] of running.entries()) {
    const name = names[at] ?? '';
    const { exit, text } = await work;
    worst = Math.max(worst, exit);
    if (!DOCUMENTS.includes(format)) io.stdout.write(labelled(name, text));
    else if (text !== '') documents.push([name, await valueOf(text, format)]);
  }
  if (documents.length > 0) {
    await printDocument(io.stdout, Object.fromEntries(documents), { format, human: false, exact: false });
  }
  return worst;
}

/** The document in an answer; an answer that is none stands as text. */
async function valueOf(text: string, format: Format): Promise<unknown> {
  if (format === 'yaml') {
    const { parse } = await import('yaml');
    return parse(text) as unknown;
  }
  const found = documentIn(text);
  return found === undefined ? text : found.value;
}
