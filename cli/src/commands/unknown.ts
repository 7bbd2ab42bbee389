/** What to say about a verb and a group that neither the server nor stewardctl has: the nearest right words. */
import { HOST_WORDS } from './host.ts';
import { OWN_COMMANDS } from './index.ts';
import type { Client } from '../client/client.ts';
import { usageError } from '../exit.ts';
import { hint, nearest } from '../nearest.ts';

/** The error for a verb and group that nothing has, naming what is near. */
export async function unknownCommand(client: Client, verb: string, group: string | undefined): Promise<Error> {
  const entries = await client.entries();
  if (group === undefined) {
    const groups = [...new Set(entries.filter((entry) => entry.verb === verb).map((entry) => entry.group))];
    if (groups.length > 0) return usageError(`${verb} what? ${groups.map((word) => `${verb} ${word}`).join(', ')}`);
    const words = [
      ...OWN_COMMANDS.filter((command) => command.hidden !== true).map((command) => command.name),
      ...Object.keys(HOST_WORDS),
      ...entries.map((entry) => entry.verb),
    ];
    return usageError(`unknown command "${verb}"${hint(verb, words)}`);
  }
  const verbs = entries.filter((entry) => entry.group === group).map((entry) => entry.verb);
  const turned = entries.find((entry) => entry.group === verb && entry.verb === group);
  if (turned !== undefined) return usageError(`the verb comes first: stewardctl ${group} ${verb}`);
  if (verbs.length > 0) {
    const near = nearest(verb, verbs);
    return usageError(
      `group ${group} has no verb "${verb}"${near.length > 0 ? hint(verb, verbs) : ` (it has ${verbs.join(', ')})`}`,
    );
  }
  const groups = entries.map((entry) => entry.group);
  const withVerb = entries.filter((entry) => entry.verb === verb).map((entry) => entry.group);
  return usageError(`unknown group "${group}"${hint(group, withVerb.length > 0 ? withVerb : groups)}`);
}
