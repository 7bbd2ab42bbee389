/** Everything that is written about stewardctl's own commands, in the order of the help text. */
import { HOST_WORDS, hostCommandsOf } from '../commands/host.ts';
import { OWN_COMMANDS } from '../commands/index.ts';
import { entryOfHost, entryOfOwn, type ManualEntry } from './entry.ts';

export interface Manual {
  /** Commands of the client. */
  readonly own: readonly ManualEntry[];
  /** Commands of the host administration. */
  readonly host: readonly ManualEntry[];
}

function ownEntries(): ManualEntry[] {
  return OWN_COMMANDS.filter((command) => command.hidden !== true).map(entryOfOwn);
}

/** All commands. */
export async function manual(): Promise<Manual> {
  const host = await Promise.all(Object.keys(HOST_WORDS).map(hostCommandsOf));
  return { own: ownEntries(), host: host.flat().map(entryOfHost) };
}

/** The commands that begin with a word: those of the host administration are loaded only for words of theirs. */
export async function commandsWith(word: string): Promise<readonly ManualEntry[]> {
  const own = ownEntries().filter((entry) => entry.words[0] === word);
  return [...own, ...(await hostCommandsOf(word)).map(entryOfHost)];
}

/** The first words of all commands, and what they are about. */
export function firstWords(): readonly (readonly [word: string, about: string])[] {
  return [
    ...ownEntries().map(({ words, summary }): [string, string] => [words[0] ?? '', summary]),
    ...Object.entries(HOST_WORDS),
  ];
}
