/**
 * How stewardctl ends: exit codes, and the one error type whose message is meant for people. Anything else that is thrown is
 * a defect and is reported as such.
 */

/** Exit codes of stewardctl. */
export const EXIT = {
  done: 0,
  /** The tool failed, or a resource could not be read. */
  failed: 1,
  /** The command line is wrong. */
  usage: 2,
  /** No connection, TLS failed, or the other side does not speak the protocol. */
  unreachable: 3,
  /** No token, or one that the server does not know. */
  unauthenticated: 4,
  /** The caller holds no grant for what was asked. */
  refused: 5,
  interrupted: 130,
} as const;

/** An end with a message for people and the exit code that goes with it. */
export class CliError extends Error {
  readonly exit: number;
  /** Request id of the server, the key to its access log and audit records. */
  readonly request: string | undefined;

  constructor(exit: number, message: string, request?: string) {
    super(message);
    this.name = 'CliError';
    this.exit = exit;
    this.request = request;
  }
}

/** The command line is wrong (exit code 2). */
export function usageError(message: string): CliError {
  return new CliError(EXIT.usage, message);
}

/** No connection, or an answer that breaks the protocol (exit code 3). */
export function unreachable(message: string): CliError {
  return new CliError(EXIT.unreachable, message);
}

/** Interrupted by Ctrl-C (exit code 130). */
export function interrupted(): CliError {
  return new CliError(EXIT.interrupted, 'interrupted');
}
