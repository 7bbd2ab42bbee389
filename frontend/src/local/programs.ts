/**
 * Runs the few external programs that operations name, with this account's rights. Never a shell; the file is found in fixed
 * directories and must belong to root; the environment is fixed; the whole process group ends with the call.
 */
import { spawn, type ChildProcess } from 'node:child_process';
import { closeSync, openSync, readSync, statSync } from 'node:fs';
import { StewardError } from '@steward/shared/errors.ts';
import { CappedBytes } from '@steward/shared/host/capped-bytes.ts';
import {
  PROGRAM_ENVIRONMENT,
  UTC_ENVIRONMENT,
  type ProgramRequest,
  type ProgramResult,
  type ProgramRunner,
} from '@steward/shared/host/programs.ts';

const DIRECTORIES = ['/usr/bin', '/usr/sbin', '/bin', '/sbin'];
const MAX_OUTPUT = 1024 * 1024;
const MAX_ERRORS = 64 * 1024;
const TIMEOUT_MS = 30_000;
/** How long output is read after the program has ended, if something out of reach keeps its pipes open. */
const PIPES_MS = 250;

export const programs: ProgramRunner = { run: runProgram };

async function runProgram(request: ProgramRequest): Promise<ProgramResult> {
  request.signal?.throwIfAborted();
  const child = spawn(findProgram(request.program), request.args, {
    cwd: '/',
    env: request.utc === true ? UTC_ENVIRONMENT : PROGRAM_ENVIRONMENT,
    detached: true, // a process group of its own, so that what it starts ends with it
    stdio: [request.input === undefined ? 'ignore' : 'pipe', 'pipe', 'pipe', ...(request.descriptors ?? [])],
  });
  child.stdin?.on('error', () => undefined); // it may end without reading its input
  child.stdin?.end(request.input);
  return watch(child, request);
}

/** The first candidate that is a program of root's and that nobody else can change. Throws `program_missing`. */
export function findProgram(name: string, directories: readonly string[] = DIRECTORIES): string {
  for (const directory of directories) {
    const path = `${directory}/${name}`;
    if (isTrusted(path)) return path;
  }
  throw new StewardError('program_missing', { program: name });
}

function isTrusted(path: string): boolean {
  const stat = statSync(path, { throwIfNoEntry: false });
  if (stat === undefined || !stat.isFile() || stat.uid !== 0 || (stat.mode & 0o022) !== 0) return false;
  try {
    return isElf(path);
  } catch {
    return false; // not readable: not executable for us in any useful way either
  }
}

/** Scripts are refused: their interpreter would be a second program that nobody named. */
function isElf(path: string): boolean {
  const fd = openSync(path, 'r');
  try {
    const magic = Buffer.alloc(4);
    return readSync(fd, magic, 0, 4, 0) === 4 && magic.toString('latin1') === '\x7fELF';
  } finally {
    closeSync(fd);
  }
}

/** Waits for the end of the program itself; what it left behind, perhaps holding its pipes, is killed and not waited for. */
function watch(child: ChildProcess, request: ProgramRequest): Promise<ProgramResult> {
  const { promise, resolve, reject } = Promise.withResolvers<ProgramResult>();
  const keepEnd = request.keepEnd === true;
  const output = new CappedBytes(request.maxOutput ?? MAX_OUTPUT, keepEnd);
  const errors = new CappedBytes(MAX_ERRORS);
  child.stdout?.on('data', (piece: Buffer) => {
    request.onOutput?.(piece);
    if (output.add(piece) && !keepEnd) killGroup(child);
  });
  child.stderr?.on('data', (piece: Buffer) => errors.add(piece));
  const stop = (reason: unknown): void => {
    killGroup(child);
    reject(reason);
  };
  const aborted = (): void => stop(request.signal?.reason);
  const timeoutMs = request.timeoutMs ?? TIMEOUT_MS;
  const timer = setTimeout(() => stop(new StewardError('timeout', { seconds: Math.round(timeoutMs / 1000) })), timeoutMs);
  request.signal?.addEventListener('abort', aborted, { once: true });
  child.on('error', reject);
  child.on('exit', (status) => {
    const finish = (): void => resolve({ status, stdout: output.bytes, stderr: errors.bytes, truncated: output.truncated });
    killGroup(child); // what it left behind; now the pipes come to their end
    child.once('close', finish);
    setTimeout(finish, PIPES_MS).unref();
  });
  return promise.finally(() => {
    clearTimeout(timer);
    request.signal?.removeEventListener('abort', aborted);
    child.stdout?.destroy();
    child.stderr?.destroy();
  });
}

function killGroup(child: ChildProcess): void {
  if (child.pid === undefined) return;
  try {
    process.kill(-child.pid, 'SIGKILL');
  } catch {
    // The group is gone.
  }
}
