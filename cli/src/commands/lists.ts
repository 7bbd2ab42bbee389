/** `tools` and `resources`: what the server offers and the command for each. */
import { formatOf } from '../call/call.ts';
import { EXIT } from '../exit.ts';
import { targetOf, titleOf, type Entry } from '../grammar/entry.ts';
import { printDocument } from '../render/output.ts';
import { drawTable } from '../render/table.ts';
import type { OwnCall, OwnCommand } from './own.ts';
import { readWords } from './words.ts';

/** The words that call an entry. */
function commandOf(entry: Entry): string {
  return entry.verb === '' ? '-' : `${entry.verb} ${entry.group}`;
}

/** Prints a table of the entries, or the entries as the server sent them. */
async function print(
  name: string,
  call: OwnCall,
  entries: readonly Entry[],
  row: (entry: Entry) => string[],
  titles: string[],
): Promise<number> {
  const { flags } = readWords(name, [], call);
  const format = formatOf(flags);
  if (format === 'text') call.io.stdout.write(drawTable(titles, entries.map(row), call.io.stdout));
  else {
    const raw = entries.map((entry) => entry.raw);
    await printDocument(call.io.stdout, raw, { format, human: false, exact: false });
  }
  return EXIT.done;
}

export const tools: OwnCommand = {
  name: 'tools',
  usage: '',
  summary: 'List the tools of the server and the command for each',
  run: async (call) => {
    const row = (entry: Entry): string[] => [entry.name, commandOf(entry), titleOf(entry)];
    return print('tools', call, await call.client.tools(), row, ['name', 'command', 'title']);
  },
};

export const resources: OwnCommand = {
  name: 'resources',
  usage: '',
  summary: 'List the resources and templates of the server and the command for each',
  run: async (call) => {
    const row = (entry: Entry): string[] => [targetOf(entry), commandOf(entry), entry.name];
    return print('resources', call, await call.client.resources(), row, ['uri', 'command', 'name']);
  },
};
