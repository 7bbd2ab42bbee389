/**
 * Runs the tests of one file in a process of its own and counts what became of them. A file that does not come to its end in time
 * is stopped and counts as failed, so that one hanging test never holds up a whole run.
 */
import { run } from 'node:test';
import { spec } from 'node:test/reporters';
import { ROOT } from '../../scripts/lib/sources.ts';
import { scratchFor } from './scratch.ts';

export interface FileResult {
  passed: number;
  failed: number;
  skipped: number;
  /** One line per test that was left out, with its reason. */
  readonly leftOut: string[];
  /** What the file did not remove from its temporary directory. */
  leftBehind: readonly string[];
  /** The report for people, to be shown when something failed. */
  text: string;
  seconds: number;
}

/** Runs one file (relative to the repository). Never throws for what the tests do. */
export async function runFile(file: string, timeoutMs: number): Promise<FileResult> {
  const result: FileResult = { passed: 0, failed: 0, skipped: 0, leftOut: [], leftBehind: [], text: '', seconds: 0 };
  const began = performance.now();
  const watchdog = new AbortController();
  const timer = setTimeout(() => watchdog.abort(), timeoutMs);
  const scratch = scratchFor(file);
  const env = { ...process.env, ...scratch.env };
  const events = run({ files: [file], cwd: ROOT, env, timeout: timeoutMs, signal: watchdog.signal });
  events.on('test:summary', ({ file: of, counts }) => {
    if (of !== undefined) return; // The total has no file.
    result.passed = counts.passed;
    result.skipped = counts.skipped + counts.todo;
    result.failed = counts.tests - counts.passed - counts.skipped - counts.todo; // Failed and cancelled.
  });
  let empty = false;
  events.on('test:pass', ({ name, skip, todo }) => {
    empty ||= name === file; // A file without tests passes as one test that bears its name.
    const reason = skip ?? todo;
    if (reason === undefined || reason === false) return;
    result.leftOut.push(`${file}: ${name}: ${typeof reason === 'string' ? reason : 'no reason given'}`);
  });
  for await (const text of events.compose(spec)) result.text += String(text);
  clearTimeout(timer);
  result.leftBehind = scratch.end();
  result.seconds = (performance.now() - began) / 1000;
  if (watchdog.signal.aborted) {
    result.failed = Math.max(1, result.failed);
    result.text += `${file} did not end within ${timeoutMs / 1000} s and was stopped\n`;
  } else if (empty) {
    Object.assign(result, { passed: 0, failed: 1 });
    result.text += `${file} holds no test\n`;
  }
  return result;
}
