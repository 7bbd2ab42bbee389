/**
 * The command lines of docs/STEWARDCTL.md as the tests run them: by section, each as it is printed but for the port. Lines that would
 * go on until Ctrl-C get it as soon as they have shown something. Test only.
 */
import assert from 'node:assert/strict';
import { spawn } from 'node:child_process';
import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import { ROOT } from './paths.ts';

const PAGE = readFileSync(join(ROOT, 'docs/STEWARDCTL.md'), 'utf8');

/** Sections that hold command lines, in order. */
export const SECTIONS: readonly string[] = PAGE.split(/^## /m)
  .slice(1)
  .filter((text) => text.includes('```sh\n'))
  .map((text) => text.split('\n', 1)[0] ?? '');

/** The command lines of one section, with another port in the place of 9091. */
export function examplesOf(section: string, port: number): string[] {
  const text = PAGE.split(/^## /m).find((one) => one.startsWith(`${section}\n`));
  assert.ok(text !== undefined, `no section ${section}`);
  const blocks = [...text.matchAll(/^```sh\n(.*?)^```$/gms)].map((match) => match[1] ?? '');
  return blocks.flatMap((block) => block.trim().split('\n')).map((line) => line.replaceAll('9091', String(port)));
}

/** The YAML of one section. */
export function yamlOf(section: string): string {
  const text = PAGE.split(/^## /m).find((one) => one.startsWith(`${section}\n`)) ?? '';
  return /^```yaml\n(.*?)^```$/ms.exec(text)?.[1] ?? '';
}

/** Whether a line goes on until Ctrl-C. */
export const isEndless = (line: string): boolean => /--watch\b| -f$/.test(line);

export interface Ran {
  readonly line: string;
  readonly status: number | null;
  readonly out: string;
  readonly err: string;
}

/** Milliseconds after which a line that has shown nothing is given up. */
const PATIENCE_MS = 60_000;

/** Runs one line in bash. An endless one is interrupted at its first output, and then has to end with 130. */
export function runLine(line: string, cwd: string, env: Readonly<Record<string, string>>): Promise<Ran> {
  const child = spawn('bash', ['-c', isEndless(line) ? `exec ${line}` : line], { cwd, env, stdio: ['ignore', 'pipe', 'pipe'] });
  const late = setTimeout(() => child.kill('SIGKILL'), PATIENCE_MS);
  let [out, err] = ['', ''];
  child.stdout.setEncoding('utf8').on('data', (text: string) => {
    if (out === '' && isEndless(line)) child.kill('SIGINT');
    out += text;
  });
  child.stderr.setEncoding('utf8').on('data', (text: string) => (err += text));
  return new Promise((done) => {
    child.once('close', (status) => {
      clearTimeout(late);
      done({ line, status: isEndless(line) && status === 130 ? 0 : status, out, err });
    });
  });
}

/** What lines have to print, beside ending well: by a beginning of the line. */
export function judge({ line, status, out, err }: Ran, expected: Readonly<Record<string, RegExp>>): void {
  assert.equal(status, 0, `${line}\n${out}${err}`);
  for (const [begin, pattern] of Object.entries(expected)) if (line.startsWith(begin)) assert.match(out, pattern, line);
}
