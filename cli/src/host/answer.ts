/** Small things that the commands of the host administration share: reading their words, and tables. */
import type { HostCall } from './command.ts';
import { CliError, EXIT, usageError } from '../exit.ts';
import { hint } from '../nearest.ts';
import { drawTable } from '../render/table.ts';

/** The words behind a command: exactly the named ones, `?` at the end marks one that may be absent. */
export function takeWords(call: HostCall, command: string, ...names: readonly string[]): (string | undefined)[] {
  const extra = call.positional[names.length];
  const next = `stewardctl ${command} --help says what it takes`;
  if (extra !== undefined) throw usageError(`${command}: unexpected "${extra}": ${next}`);
  const lacking = names.find((name, index) => !name.endsWith('?') && call.positional[index] === undefined);
  if (lacking !== undefined) throw usageError(`${command}: ${lacking} is missing: ${next}`);
  return names.map((_, index) => call.positional[index]);
}

/** The error for a name that is no user's. */
export function noUser(name: string, users: readonly string[]): CliError {
  return new CliError(EXIT.failed, `no such user: "${name}"${hint(name, users, undefined, 'stewardctl users list shows them')}`);
}

/** The value of an option that is given at most once. */
export function optionOf(call: HostCall, name: string): string | undefined {
  return call.options.get(name)?.[0];
}

export function printTable(call: HostCall, titles: readonly string[], rows: readonly (readonly unknown[])[]): void {
  call.out.write(drawTable(titles, rows, call.out));
}
