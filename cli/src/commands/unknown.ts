/** What to say about a verb and a group that neither the server nor stewardctl has: the nearest right words. */
import { HOST_WORDS } from './host.ts';
import { OWN_COMMANDS } from './index.ts';
import type { Client } from '../client/client.ts';
import { usageError } from '../exit.ts';
import type { Entry } from '../grammar/entry.ts';
import { hint } from '../nearest.ts';

const OVERVIEW = 'stewardctl --help and stewardctl explain say what there is';

/** A first word that nothing begins with. */
function unknownWord(verb: string, entries: readonly Entry[]): Error {
  const own = OWN_COMMANDS.filter((command) => command.hidden !== true).map((command) => command.name);
  const words = [...own, ...Object.keys(HOST_WORDS), ...entries.map((entry) => entry.verb)];
  return usageError(`unknown command "${verb}"${hint(verb, words, undefined, OVERVIEW)}`);
}

/** A verb that exists, behind which there is a word that is no group. */
function unknownGroup(verb: string, group: string, entries: readonly Entry[]): Error {
  const isVerb = entries.filter((entry) => entry.verb === group).map((entry) => `stewardctl ${entry.verb} ${entry.group}`);
  const withVerb = entries.filter((entry) => entry.verb === verb).map((entry) => entry.group);
  const otherwise = isVerb.length > 0 ? `there is ${isVerb.join(', ')}` : `${verb} goes with ${withVerb.join(', ')}`;
  return usageError(`unknown group "${group}"${hint(group, withVerb, undefined, otherwise)}`);
}

/** The error for a verb and group that nothing has, naming what is near. */
export async function unknownCommand(client: Client, verb: string, group: string | undefined): Promise<Error> {
  const entries = await client.entries();
  const isVerb = entries.some((entry) => entry.verb === verb);
  if (group === undefined) {
    if (!isVerb) return unknownWord(verb, entries);
    const groups = [...new Set(entries.filter((entry) => entry.verb === verb).map((entry) => entry.group))];
    return usageError(`${verb} what? ${groups.map((word) => `${verb} ${word}`).join(', ')}`);
  }
  const turned = entries.find((entry) => entry.group === verb && entry.verb === group);
  if (turned !== undefined) return usageError(`the verb comes first: stewardctl ${group} ${verb}`);
  const verbs = entries.filter((entry) => entry.group === group).map((entry) => entry.verb);
  if (verbs.length > 0)
    return usageError(`group ${group} has no verb "${verb}"${hint(verb, verbs, undefined, `it has ${verbs.join(', ')}`)}`);
  return isVerb ? unknownGroup(verb, group, entries) : unknownWord(verb, entries);
}
