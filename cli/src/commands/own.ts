/** What a command of stewardctl itself is: one that is not an entry of the server's lists. */
import type { Client } from '../client/client.ts';
import type { HostOption } from '../host/command.ts';
import type { Io } from '../io.ts';
import type { Flags } from '../options.ts';

export interface OwnCall {
  /** Words behind the command, flags among them. */
  readonly words: readonly string[];
  /** Options that stood before the command, and those that say where to connect. */
  readonly flags: Flags;
  readonly client: Client;
  readonly io: Io;
}

export interface OwnCommand {
  readonly name: string;
  /** Words behind the name in the help text. */
  readonly usage: string;
  readonly summary: string;
  /** What else there is to say, as paragraphs: shown by `--help` and in the manual page. */
  readonly details?: readonly string[];
  /** Options of this command alone; the command reads them itself. */
  readonly options?: readonly HostOption[];
  /** Called by programs, not by people: in no help text. */
  readonly hidden?: true;
  /** Never about the server: it does not give way to a verb of the same name. */
  readonly local?: true;
  /** Answers `--help` itself. */
  readonly explains?: true;
  /** Resolves to the exit code. */
  run(call: OwnCall): Promise<number>;
}
