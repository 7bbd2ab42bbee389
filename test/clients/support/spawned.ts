/** A program run to its end, with everything it said. */
import { spawn } from 'node:child_process';

export interface Ended {
  readonly status: number | null;
  readonly stdout: string;
  readonly stderr: string;
}

export interface RunOptions {
  readonly env?: Readonly<Record<string, string>>;
  readonly cwd?: string;
  readonly seconds?: number;
  readonly input?: string;
}

/** Runs Node with these arguments. One that takes too long is killed; its status is null then. */
export function runNode(args: readonly string[], options: RunOptions = {}): Promise<Ended> {
  return runProgram(process.execPath, args, options);
}

export function runProgram(
  program: string,
  args: readonly string[],
  { env = {}, cwd, seconds = 60, input }: RunOptions = {},
): Promise<Ended> {
  const { promise, resolve, reject } = Promise.withResolvers<Ended>();
  const child = spawn(program, args, {
    env: { PATH: process.env['PATH'], HOME: process.env['HOME'], ...env },
    stdio: [input === undefined ? 'ignore' : 'pipe', 'pipe', 'pipe'],
    ...(cwd === undefined ? {} : { cwd }),
  });
  let [stdout, stderr] = ['', ''];
  child.stdout?.setEncoding('utf8').on('data', (text: string) => (stdout += text));
  child.stderr?.setEncoding('utf8').on('data', (text: string) => (stderr += text));
  child.stdin?.end(input);
  const timer = setTimeout(() => child.kill('SIGKILL'), seconds * 1000);
  child.once('error', reject);
  child.once('close', (status) => {
    clearTimeout(timer);
    resolve({ status, stdout, stderr });
  });
  return promise;
}
