/** `explain`: what a command does and takes, from the server's own words, and whether the caller may run it as root. */
import { limitsOf, ownGrants } from './grants.ts';
import type { OwnCommand } from './own.ts';
import { readWords } from './words.ts';
import type { Client } from '../client/client.ts';
import { EXIT, usageError } from '../exit.ts';
import { flagOf, type Argument } from '../grammar/argument.ts';
import { targetOf, titleOf, type Entry } from '../grammar/entry.ts';
import type { Output } from '../io.ts';
import { hint } from '../nearest.ts';
import { drawTable } from '../render/table.ts';
import { forTerminal } from '../safety.ts';

function usageOf(argument: Argument): string {
  if (argument.type === 'boolean') return `[--${argument.fallback === true ? 'no-' : ''}${flagOf(argument)}]`;
  const place = argument.choices.length > 0 ? argument.choices.join('|') : argument.name.toUpperCase();
  const many = argument.type === 'array' ? '...' : '';
  return argument.required ? `${place}${many}` : `[--${flagOf(argument)} ${place}${many}]`;
}

function typeText(argument: Argument): string {
  const type = argument.type === 'array' ? `array of ${argument.items}` : argument.type;
  return argument.choices.length > 0 ? argument.choices.join('|') : type;
}

function defaultText(argument: Argument): string {
  if (argument.required) return 'required';
  return argument.fallback === undefined ? '' : JSON.stringify(argument.fallback);
}

/** A value that fits an argument, for the example. */
function sample(argument: Argument): string {
  const [choice] = argument.choices;
  if (choice !== undefined) return choice;
  if (argument.type === 'integer' || argument.type === 'number') return '1';
  if (/^absolute/.test(argument.description) || argument.name === 'path') return '/etc/hostname';
  return argument.name.toUpperCase();
}

function exampleOf(entry: Entry): string {
  const required = entry.arguments.filter((argument) => argument.required);
  const last = required.filter((argument) => argument.type === 'array');
  const words = required.filter((argument) => argument.type !== 'array').map(sample);
  return ['stewardctl', entry.verb, entry.group, ...words, ...(last.length > 0 ? ['--', ...last.map(sample)] : [])].join(' ');
}

async function grantLine(client: Client, entry: Entry): Promise<string> {
  if (entry.kind !== 'tool') return '';
  const grants = await ownGrants(client);
  if (grants === undefined) return '';
  const grant = grants.get(entry.name);
  if (grant !== undefined) {
    const limits = limitsOf(grant);
    return `Root grant: yes${limits === '' ? '' : ` (${limits})`}\n`;
  }
  const takes = entry.arguments.some((argument) => argument.name === 'privileged');
  return takes ? 'Root grant: no (without --privileged it runs with no rights)\n' : 'Root grant: no\n';
}

/** Purpose, usage, arguments, example and grant of one entry. */
export async function explainEntry(client: Client, entry: Entry): Promise<string> {
  const uri = entry.kind === 'tool' ? '' : `${entry.kind === 'resource' ? entry.uri : entry.uriTemplate}\n`;
  const title = entry.kind === 'tool' && entry.title !== '' ? `${entry.name} - ${entry.title}` : entry.name;
  const usage = ['stewardctl', entry.verb, entry.group, ...entry.arguments.map(usageOf)].join(' ');
  const rows = entry.arguments.map((argument) => [
    argument.name,
    typeText(argument),
    defaultText(argument),
    argument.description,
  ]);
  const table = rows.length === 0 ? '' : `\n${drawTable(['argument', 'type', 'default', 'about'], rows)}`;
  const grant = await grantLine(client, entry);
  return forTerminal(
    `${title}\n${uri}\n${entry.description}\n\nUsage: ${usage}\n${table}\nExample: ${exampleOf(entry)}\n${grant}`,
  );
}

function listing(entries: readonly Entry[], out: Output): string {
  const rows = entries.map((entry) => [entry.group, entry.verb, targetOf(entry), titleOf(entry)]);
  return drawTable(['group', 'verb', 'what', 'title'], rows, out);
}

/** The entry behind `group/command`: a tool's name, a URI, or group and verb. */
function entryNamed(entries: readonly Entry[], what: string): Entry | undefined {
  return entries.find((entry) => targetOf(entry) === what) ?? entries.find((entry) => `${entry.group}/${entry.verb}` === what);
}

export const explain: OwnCommand = {
  name: 'explain',
  usage: '[GROUP[/COMMAND]]',
  summary: 'Say what a command does, takes and needs',
  run: async (call) => {
    const { values } = readWords('explain', ['[what]'], call);
    const what = values.get('what');
    const entries = (await call.client.entries()).filter((entry) => entry.verb !== '');
    const group = entries.filter((entry) => what === undefined || entry.group === what);
    const named = what === undefined ? undefined : entryNamed(entries, what);
    if (named !== undefined) call.io.stdout.write(await explainEntry(call.client, named));
    else if (group.length > 0) call.io.stdout.write(listing(group, call.io.stdout));
    else {
      const words = entries.flatMap((entry) => [entry.group, entry.name, `${entry.group}/${entry.verb}`]);
      throw usageError(`nothing is called "${what ?? ''}"${hint(what ?? '', words)}: stewardctl explain lists what there is`);
    }
    return EXIT.done;
  },
};
