/** `completion SHELL` prints what a shell loads; `__complete` is what that calls with every key. */
import type { OwnCall, OwnCommand } from './own.ts';
import { readWords } from './words.ts';
import { Catalogue, type Asking } from '../completion/catalogue.ts';
import { complete, type Completion } from '../completion/candidates.ts';
import { SCRIPTS } from '../completion/scripts.ts';
import { findCheckout } from '../context/checkout.ts';
import { contextText, readContexts } from '../context/file.ts';
import { EXIT, usageError } from '../exit.ts';
import { isObject } from '../grammar/argument.ts';
import { readToken, takeOption } from '../line.ts';
import { oneCell } from '../safety.ts';
import { textOf, type Flags } from '../options.ts';

/** Milliseconds after which a server that is asked for words has not answered. */
const PATIENCE_MS = 2000;
/** Longer descriptions are cut: a shell shows them beside the word. */
const ABOUT_LENGTH = 60;

export const completion: OwnCommand = {
  name: 'completion',
  usage: 'bash|zsh|fish',
  summary: 'Print the completion script of a shell',
  details: [
    'bash: source <(stewardctl completion bash)',
    'zsh: source <(stewardctl completion zsh)',
    'fish: stewardctl completion fish | source',
  ],
  local: true,
  run: (call) => {
    const shell = readWords('completion', ['shell'], call).values.get('shell') ?? '';
    const script = Object.hasOwn(SCRIPTS, shell) ? SCRIPTS[shell] : undefined;
    if (script === undefined) throw usageError(`completion ${shell}: there is ${Object.keys(SCRIPTS).join(', ')}`);
    call.io.stdout.write(script);
    return Promise.resolve(EXIT.done);
  },
};

/** The options of a line that say where to connect, as far as it has been typed. */
function connectionIn(words: readonly string[], flags: Flags): void {
  const rest = words.slice(0, -1);
  while (rest.length > 0) {
    const token = readToken(rest.shift() ?? '');
    if (token.kind === 'end') return;
    try {
      const taken: Flags = new Map();
      if (takeOption(rest, token, taken)) for (const [name, value] of taken) flags.set(name, value);
    } catch {
      return; // It is not finished yet.
    }
  }
}

/** What tells one server and user from another, without reading a token; the file of contexts is not understood for that, only read. */
function targetName({ flags, io }: OwnCall): string {
  const given = ['server', 'token-file', 'context'].map((name) => textOf(flags, name as 'server'));
  const own = [io.env['STEWARD_SERVER'], io.env['STEWARD_TOKEN'], findCheckout(io.cwd)?.directory, contextText(io.env)];
  return JSON.stringify([...given, ...own].map((value) => value ?? ''));
}

function askingOf({ client }: OwnCall): Asking {
  const options = { signal: AbortSignal.timeout(PATIENCE_MS) };
  const list = async (method: string, member: string): Promise<unknown[]> => {
    const found = (await client.request(method, {}, options))[member];
    return Array.isArray(found) ? (found as unknown[]) : [];
  };
  return {
    lists: async () => ({
      tools: await list('tools/list', 'tools'),
      resources: await list('resources/list', 'resources'),
      templates: await list('resources/templates/list', 'resourceTemplates'),
    }),
    values: async (uri, name, value) => {
      const params = { ref: { type: 'ref/resource', uri }, argument: { name, value } };
      const { completion: found } = await client.request('completion/complete', params, options);
      const values: unknown = isObject(found) ? found['values'] : [];
      return Array.isArray(values) ? values.filter((one) => typeof one === 'string') : [];
    },
  };
}

function linesOf({ candidates, files }: Completion): string {
  const lines = candidates.map(({ word, about }) => {
    const short = oneCell(about.split('\n')[0] ?? '').slice(0, ABOUT_LENGTH);
    return `${oneCell(word)}${short === '' ? '' : `\t${short}`}\n`;
  });
  return lines.join('') + (files ? ':files\n' : '');
}

/** Never says a word about what is wrong: it would stand in the midst of the line that is typed. */
export const completeWords: OwnCommand = {
  name: '__complete',
  usage: '-- WORDS',
  summary: 'Complete the last word',
  local: true,
  hidden: true,
  explains: true,
  run: async (call) => {
    const words = call.words[0] === '--' ? call.words.slice(1) : call.words;
    connectionIn(words, call.flags);
    const { commandsWith, firstWords } = await import('../manual/all.ts');
    const contexts = async (): Promise<string[]> => {
      const file = await readContexts(call.io.env);
      return [...file.contexts.keys(), ...file.groups.keys()];
    };
    const catalogue = new Catalogue(call.io.env, targetName(call), askingOf(call));
    try {
      call.io.stdout.write(linesOf(await complete(words, { words: firstWords(), commands: commandsWith, catalogue, contexts })));
    } catch {
      return EXIT.failed;
    }
    return EXIT.done;
  },
};
