/**
 * Records every program that a pair starts, with arguments and environment as the kernel got them: strace(1) runs beside the
 * launcher and follows all its children. Test only.
 */
import { existsSync, readFileSync } from 'node:fs';

const STRACE = '/usr/bin/strace';
/** Longest string that is recorded whole: more than any argument of a test. */
const MAX_STRING = 65_535;

/** Why programs cannot be recorded here; false when they can. */
export const skipExecs: string | false = existsSync(STRACE) ? false : 'needs the package strace';

/** One execve(2). */
export interface Exec {
  readonly file: string;
  /** With the name of the program. */
  readonly argv: readonly string[];
  readonly env: readonly string[];
}

/** A command line to put before the one that is recorded. The program that is started stays the direct child. */
export function recording(file: string): string[] {
  const what = ['-e', 'trace=execve', '-e', 'signal=none', '-v', '-xx', '-s', String(MAX_STRING)];
  return [STRACE, '-D', '-f', '-qqq', '--seccomp-bpf', ...what, '-o', file, '--'];
}

/** What was recorded so far. Throws for a line that it does not understand: nothing may be overlooked. */
export function execsIn(file: string): Exec[] {
  const lines = readFileSync(file, 'latin1').split('\n');
  return lines.filter((line) => line.includes('execve(') && !line.includes('resumed>')).map(parsed);
}

function parsed(line: string): Exec {
  const [, file, argv, env] = /execve\("([^"]*)", \[([^\]]*)\], \[([^\]]*)\]/.exec(line) ?? [];
  if (file === undefined || argv === undefined || env === undefined) throw new Error(`not understood: ${line.slice(0, 200)}`);
  return { file: decoded(file), argv: strings(argv), env: strings(env) };
}

const strings = (list: string): string[] =>
  list
    .split(', ')
    .filter(Boolean)
    .map((text) => decoded(text.slice(1, -1)));

function decoded(text: string): string {
  return Buffer.from(text.replaceAll('\\x', ''), 'hex').toString('utf8');
}
