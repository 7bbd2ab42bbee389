/** Reads the words of stewardctl's own commands with the same rules as those of tools. */
import { argumentsOf } from '../grammar/argument.ts';
import { parseArguments } from '../grammar/parse.ts';
import type { Flags } from '../options.ts';
import type { OwnCall } from './own.ts';

/** Words by name, and all options. */
export interface Words {
  readonly values: ReadonlyMap<string, string>;
  readonly flags: Flags;
}

/**
 * @param names what the words are; a name in square brackets may be left out
 * @throws CliError (usage) for words too many or too few, and for unknown options
 */
export function readWords(command: string, names: readonly string[], { words, flags }: OwnCall): Words {
  const bare = names.map((name) => name.replace(/^\[(.*)\]$/, '$1'));
  const schema = {
    properties: Object.fromEntries(bare.map((name) => [name, { type: 'string' }])),
    required: bare.filter((name) => names.includes(name)),
  };
  const parsed = parseArguments(command, argumentsOf(schema), words, flags);
  return { values: new Map(parsed.given.map((given) => [given.argument.name, given.texts[0] ?? ''])), flags: parsed.flags };
}
