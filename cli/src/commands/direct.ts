/** `tool NAME key=value ...` and `resource URI`: calls by the names of the protocol, without verb and group. */
import { callTool, readUri } from '../call/call.ts';
import { EXIT, usageError } from '../exit.ts';
import { parsePairs } from '../grammar/parse.ts';
import { takeWord } from '../line.ts';
import { hint } from '../nearest.ts';
import { explainEntry } from './explain.ts';
import type { OwnCommand } from './own.ts';
import { readWords } from './words.ts';

/** The catalogue may list names as `files/list` or as `files_list`; either spelling finds it. */
function sameName(one: string, other: string): boolean {
  return one.replace(/[/.]/, '_') === other.replace(/[/.]/, '_');
}

export const tool: OwnCommand = {
  name: 'tool',
  usage: 'NAME [key=value ...]',
  summary: 'Call a tool by its name',
  explains: true,
  run: async ({ words, flags, client, io }) => {
    const line = [...words];
    const name = takeWord(line, flags);
    if (name === undefined && flags.has('help')) {
      io.stdout.write('stewardctl tool NAME [key=value ...]\n\nCall a tool by its name; tool NAME --help explains it.\n');
      return EXIT.done;
    }
    if (name === undefined) throw usageError('which tool? stewardctl tool NAME [key=value ...]');
    const tools = await client.tools();
    const found = tools.find((entry) => sameName(entry.name, name));
    if (found === undefined) {
      const names = tools.map((entry) => entry.name);
      throw usageError(`unknown tool "${name}"${hint(name, names, undefined, 'stewardctl tools lists them')}`);
    }
    const parsed = parsePairs(`tool ${found.name}`, found.arguments, line, flags);
    if (!parsed.flags.has('help')) return callTool(client, found, parsed, io);
    io.stdout.write(await explainEntry(client, found));
    return EXIT.done;
  },
};

export const resource: OwnCommand = {
  name: 'resource',
  usage: 'URI',
  summary: 'Read a resource by its URI',
  run: async (call) => {
    const { values, flags } = readWords('resource', ['uri'], call);
    return readUri(call.client, values.get('uri') ?? '', flags, call.io);
  },
};
