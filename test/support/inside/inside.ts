/**
 * A booted system as a test sees it: commands run inside as root, for preparing and for comparing. Test only.
 */
import assert from 'node:assert/strict';
import { setTimeout as sleep } from 'node:timers/promises';

/** What a command inside gave. */
export interface Ran {
  readonly status: number;
  readonly stdout: string;
  readonly stderr: string;
}

export interface Inside {
  /** Runs a program inside as root, with `input` on its standard input. Rejects only if it could not be asked to run. */
  run(argv: readonly string[], input?: string): Promise<Ran>;
  /** What the system printed since it began to start, for the report of a failure. */
  readonly console: () => string;
}

/** Runs a program that has to end well; gives its standard output without the last newline. */
export async function output(inside: Inside, ...argv: readonly string[]): Promise<string> {
  const { status, stdout, stderr } = await inside.run(argv);
  assert.equal(status, 0, `${argv.join(' ')} ended with ${status}: ${stderr}${stdout}`);
  return stdout.replace(/\n$/, '');
}

/** Writes a file inside, with its directories. */
export async function install(inside: Inside, path: string, content: string, mode = '644'): Promise<void> {
  // cat, because standard input may be a socket, which cannot be opened by name.
  const script = 'mkdir -p -- "${1%/*}" && cat > "$1" && chmod -- "$2" "$1"';
  const { status, stderr } = await inside.run(['sh', '-c', script, 'install', path, mode], content);
  assert.equal(status, 0, `${path} could not be written inside: ${stderr}`);
}

/** Milliseconds from its first process to a system whose bus can be asked. */
const BUS_MS = 240_000;

/**
 * Waits until everything has been started. Throws with what failed and the end of the console: a system that is not whole proves
 * nothing.
 */
export async function waitUntilRunning(inside: Inside): Promise<void> {
  const end = performance.now() + BUS_MS;
  let answer: Ran;
  do {
    answer = await inside.run(['systemctl', 'is-system-running', '--wait']);
    if (answer.stdout.trim() === 'running') return;
    await sleep(100);
  } while (/^(offline|unknown|)$/.test(answer.stdout.trim()) && performance.now() < end);
  const failed = await inside.run(['systemctl', '--failed', '--no-legend', '--plain', '--no-pager']);
  const state = `${answer.stdout}${answer.stderr}`.trim();
  throw new Error(`the system is not running: ${state}\n${failed.stdout}\n${endOf(inside.console())}`);
}

/** The last lines of a console. */
export function endOf(text: string): string {
  return text.trimEnd().split('\n').slice(-30).join('\n');
}
