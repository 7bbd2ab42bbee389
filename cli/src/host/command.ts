/**
 * What a command of the host administration is: it works on the configuration directory or on the audit log of this host, as
 * the account that started it, and never talks to the daemon. Parsing, help and the reload afterwards are the caller's.
 */
import type { Output } from '../io.ts';

/** An option of one command. Without `value` it is a switch. */
export interface HostOption {
  readonly name: string;
  /** One letter that stands for it. */
  readonly short?: string;
  /** Name of the value in the help text. */
  readonly value?: string;
  /** May be given more than once. */
  readonly repeat?: true;
  readonly summary: string;
}

export interface HostCall {
  /** Words behind the command. */
  readonly positional: readonly string[];
  /** Options by name, every value in order; a switch that was given has the value `true`. */
  readonly options: ReadonlyMap<string, readonly string[]>;
  /** Absolute path of the configuration directory. */
  readonly configDir: string;
  readonly out: Output;
  readonly err: Output;
  /** Aborted by Ctrl-C. */
  readonly signal?: AbortSignal;
}

export interface HostCommand {
  /** The words that name it, for instance `['users', 'add']`; one word is possible too. */
  readonly path: readonly [string, ...string[]];
  /** Words behind the path in the help text, for instance `NAME`. Small letters divided by `|` are words to choose from. */
  readonly usage: string;
  /** One line for the help text. */
  readonly summary: string;
  /** What else there is to say, as paragraphs: shown by `--help` and in the manual page. */
  readonly details?: readonly string[];
  readonly options: readonly HostOption[];
  /** It changes the configuration: after exit code 0 the daemon is told to reload, unless `--no-reload` is given. */
  readonly changes?: true;
  /** Resolves to the exit code. A CliError or ConfigError that it throws is printed as one line. */
  run(call: HostCall): Promise<number>;
}
