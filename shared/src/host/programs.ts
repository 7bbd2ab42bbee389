/**
 * Running one of the few external programs that the catalogue names. This file is only the contract, and what such a program
 * sees of an environment; the broker has a runner of its own (root), the frontend another (unprivileged).
 */

/** Everything that a program sees of an environment. SKIP_SYSV: or systemctl runs shell scripts of init. */
export const PROGRAM_ENVIRONMENT: NodeJS.ProcessEnv = Object.freeze({
  PATH: '/usr/sbin:/usr/bin:/sbin:/bin',
  LANG: 'C.UTF-8',
  LC_ALL: 'C.UTF-8',
  SYSTEMD_COLORS: '0',
  SYSTEMD_PAGER: '',
  SYSTEMD_LOG_LEVEL: 'info',
  SYSTEMD_LOG_TARGET: 'console',
  SYSTEMCTL_SKIP_SYSV: '1',
  LESSSECURE: '1',
});
/** The same for a program that shall write times in UTC. */
export const UTC_ENVIRONMENT: NodeJS.ProcessEnv = Object.freeze({ ...PROGRAM_ENVIRONMENT, TZ: 'UTC' });

export interface ProgramRequest {
  /** Bare name, for instance `cp`; the runner finds it in the fixed candidate directories and checks the file. */
  readonly program: string;
  /** Arguments; caller text always as its own element, after `--` or glued to a long option. */
  readonly args: readonly string[];
  /** Bytes for standard input; /dev/null when absent. */
  readonly input?: Uint8Array;
  /** Descriptors handed down as 3, 4, .. */
  readonly descriptors?: readonly number[];
  /** Cap of standard output in bytes; more ends the program. Default 1 MiB. */
  readonly maxOutput?: number;
  /** Keep the last `maxOutput` bytes of standard output instead of the first ones, and let the program run to its end. */
  readonly keepEnd?: boolean;
  /** Let the program write times in UTC, not in the host's zone (`TZ=UTC` in its environment). */
  readonly utc?: boolean;
  /** Time limit in milliseconds, at most what is left of the call. */
  readonly timeoutMs?: number;
  /** Told about output as it comes; the result has all of it too. */
  readonly onOutput?: (piece: Uint8Array) => void;
  readonly signal?: AbortSignal;
}

export interface ProgramResult {
  /** Exit status; null when a signal ended it. */
  readonly status: number | null;
  readonly stdout: Buffer;
  /** At most 64 KiB. */
  readonly stderr: Buffer;
  /** True when there was more than `maxOutput`. */
  readonly truncated: boolean;
}

export interface ProgramRunner {
  /** Runs to the end. Throws `program_missing`, `timeout`, `cancelled`; an exit status is never an error here. */
  run(request: ProgramRequest): Promise<ProgramResult>;
}
