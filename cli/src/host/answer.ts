/** Small things that the commands of the host administration share: reading their words, and tables. */
import type { HostCall } from './command.ts';
import { usageError } from '../exit.ts';
import { drawTable } from '../render/table.ts';

/** The words behind a command: exactly the named ones, `?` at the end marks one that may be absent. */
export function takeWords(call: HostCall, command: string, ...names: readonly string[]): (string | undefined)[] {
  const extra = call.positional[names.length];
  if (extra !== undefined) throw usageError(`${command}: unexpected "${extra}"`);
  const lacking = names.find((name, index) => !name.endsWith('?') && call.positional[index] === undefined);
  if (lacking !== undefined) throw usageError(`${command}: ${lacking} is missing`);
  return names.map((_, index) => call.positional[index]);
}

/** The value of an option that is given at most once. */
export function optionOf(call: HostCall, name: string): string | undefined {
  return call.options.get(name)?.[0];
}

export function printTable(call: HostCall, titles: readonly string[], rows: readonly (readonly unknown[])[]): void {
  call.out.write(drawTable(titles, rows, call.out));
}
