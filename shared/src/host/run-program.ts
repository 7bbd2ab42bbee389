/**
 * Runs external programs, for root above all. No shell, no environment of ours, no program that somebody other than root could have changed,
 * and nothing of it left behind: the program leads a process group that is killed as a whole when it ends, fails or takes too
 * long. It never waits for a grandchild that holds the pipe.
 */
import { spawn, type ChildProcess } from 'node:child_process';
import { closeSync, constants, fstatSync, openSync, readSync, realpathSync } from 'node:fs';
import type { Readable } from 'node:stream';
import { abortError } from '../abort.ts';
import { StewardError, systemError } from '../errors.ts';
import { fitsTemplate } from './argument-template.ts';
import { CappedBytes } from './capped-bytes.ts';
import { PROGRAM_ENVIRONMENT, UTC_ENVIRONMENT, type ProgramRequest, type ProgramResult, type ProgramRunner } from './programs.ts';

const DIRECTORIES = ['/usr/bin', '/usr/sbin', '/bin', '/sbin'];
const ELF = Buffer.from([0x7f, 0x45, 0x4c, 0x46]);
const MAX_OUTPUT = 1024 * 1024;
const MAX_STDERR = 64 * 1024;
const MAX_TIME_MS = 600_000;
/** How long output that is already in the pipe may take after the program's end. */
const LAST_OUTPUT_MS = 100;

/** One way in which a program may be started: see argument-template.ts. */
export interface AllowedProgram {
  readonly name: string;
  readonly argv: readonly string[];
}

export interface RunnerOptions {
  /** The programs that the row names, with templates of their arguments; any other use is a defect. */
  readonly allowed: readonly AllowedProgram[];
  /** Candidate directories; others only in tests. */
  readonly directories?: readonly string[];
}

/** The runner of one call. */
export function programRunner({ allowed, directories = DIRECTORIES }: RunnerOptions): ProgramRunner {
  return {
    async run(request) {
      const { program, args, signal } = request;
      if (!allowed.some(({ name, argv }) => name === program && fitsTemplate(argv, args)))
        throw new Error(`the row does not name the program ${program} with these arguments`);
      const file = findProgram(program, directories);
      if (file === undefined) throw new StewardError('program_missing', { program });
      if (signal?.aborted === true) throw abortError(signal);
      return new Run(file, request).result;
    },
  };
}

/** The real path of a program that only root can have put there: root's, writable by nobody else, an ELF file. */
export function findProgram(name: string, directories: readonly string[] = DIRECTORIES): string | undefined {
  if (!/^[a-z0-9][a-z0-9._-]*$/.test(name)) return undefined;
  for (const directory of directories) {
    try {
      const file = realpathSync(`${directory}/${name}`);
      if (isTrusted(file)) return file;
    } catch {
      continue; // not in this directory
    }
  }
  return undefined;
}

function isTrusted(file: string): boolean {
  const fd = openSync(file, constants.O_RDONLY | constants.O_NOFOLLOW | constants.O_NONBLOCK);
  try {
    const stat = fstatSync(fd);
    if (!stat.isFile() || stat.uid !== 0 || (stat.mode & 0o022) !== 0 || (stat.mode & 0o111) === 0) return false;
    const magic = Buffer.alloc(ELF.length);
    return readSync(fd, magic, 0, ELF.length, 0) === ELF.length && magic.equals(ELF);
  } finally {
    closeSync(fd);
  }
}

/** One run of a program. */
class Run {
  readonly result: Promise<ProgramResult>;
  readonly #child: ChildProcess;
  readonly #ended = Promise.withResolvers<number | null>();
  #failure: StewardError | undefined;

  constructor(file: string, request: ProgramRequest) {
    const { program, args, input, descriptors = [], utc = false } = request;
    this.#child = spawn(file, [...args], {
      argv0: program,
      cwd: '/',
      env: utc ? UTC_ENVIRONMENT : PROGRAM_ENVIRONMENT,
      detached: true,
      stdio: [input === undefined ? 'ignore' : 'pipe', 'pipe', 'pipe', ...descriptors],
    });
    this.#child.once('error', (error) => this.#ended.reject(systemError('program_failed', { program }, error)));
    this.#child.once('exit', (status) => this.#ended.resolve(status));
    this.#child.stdin?.on('error', () => undefined).end(input); // EPIPE: the program did not want it
    this.result = this.#wait(request);
  }

  async #wait(request: ProgramRequest): Promise<ProgramResult> {
    const { maxOutput = MAX_OUTPUT, keepEnd = false, timeoutMs = MAX_TIME_MS, signal, onOutput } = request;
    const seconds = Math.ceil(timeoutMs / 1000);
    const timer = setTimeout(() => this.#stop(new StewardError('timeout', { seconds })), timeoutMs);
    const onAbort = (): void => this.#stop(signal === undefined ? undefined : abortError(signal));
    signal?.addEventListener('abort', onAbort);
    const overflow = (): void => (keepEnd ? undefined : this.#stop(undefined));
    if (onOutput !== undefined) this.#child.stdout?.on('data', onOutput);
    const stdout = collect(this.#child.stdout, new CappedBytes(maxOutput, keepEnd), overflow);
    const stderr = collect(this.#child.stderr, new CappedBytes(MAX_STDERR), () => undefined);
    try {
      const status = await this.#ended.promise;
      this.#killGroup();
      await Promise.race([Promise.all([stdout.ended, stderr.ended]), later(LAST_OUTPUT_MS)]);
      if (this.#failure !== undefined) throw this.#failure;
      return { status, stdout: stdout.kept.bytes, stderr: stderr.kept.bytes, truncated: stdout.kept.truncated };
    } finally {
      clearTimeout(timer);
      signal?.removeEventListener('abort', onAbort);
      this.#child.stdout?.destroy();
      this.#child.stderr?.destroy();
    }
  }

  #stop(failure: StewardError | undefined): void {
    this.#failure ??= failure;
    this.#killGroup();
  }

  #killGroup(): void {
    const pid = this.#child.pid;
    if (pid === undefined) return;
    try {
      process.kill(-pid, 'SIGKILL');
    } catch {
      return; // ESRCH: nobody is left
    }
  }
}

interface Collected {
  readonly ended: Promise<void>;
  readonly kept: CappedBytes;
}

/** Keeps what a stream gives and says once when there is more; what is not kept is thrown away as it comes. */
function collect(stream: Readable | null, kept: CappedBytes, overflow: () => void): Collected {
  const ended = Promise.withResolvers<void>();
  stream?.on('data', (piece: Buffer) => {
    if (kept.add(piece)) overflow();
  });
  stream?.once('close', () => ended.resolve());
  return { ended: ended.promise, kept };
}

const later = (milliseconds: number): Promise<void> => new Promise((done) => setTimeout(done, milliseconds));
