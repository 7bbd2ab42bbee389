/**
 * What may stand at the end of a command line that is being typed: verbs, groups, flags, values. Reads the same definitions and
 * schemas as the parser, and never fails: what is not known is not offered.
 */
import type { Catalogue } from './catalogue.ts';
import { flagOf, positionalOrder, type Argument } from '../grammar/argument.ts';
import type { Entry, TemplateEntry } from '../grammar/entry.ts';
import { optionOf, readToken, type Token } from '../line.ts';
import type { ManualEntry } from '../manual/entry.ts';
import { OPTIONS, type OptionSpec } from '../options.ts';

export interface Candidate {
  readonly word: string;
  readonly about: string;
}

/** `files`: the shell offers file names of this host. */
export interface Completion {
  readonly candidates: readonly Candidate[];
  readonly files: boolean;
}

export interface Known {
  /** The first words of stewardctl's own commands, and what they are about. */
  readonly words: readonly (readonly [word: string, about: string])[];
  /** The commands that begin with a word. */
  readonly commands: (word: string) => Promise<readonly ManualEntry[]>;
  readonly catalogue: Pick<Catalogue, 'entries' | 'values'>;
  /** Names of contexts and of their groups. */
  readonly contexts: () => Promise<readonly string[]>;
}

const FILES: Completion = { candidates: [], files: true };

function offer(words: Iterable<string>, about = ''): Completion {
  return { candidates: [...new Set(words)].map((word) => ({ word, about })), files: false };
}

function merge(...parts: readonly Completion[]): Completion {
  const byWord = new Map(parts.flatMap(({ candidates }) => candidates.map((one) => [one.word, one])));
  return { candidates: [...byWord.values()], files: parts.some(({ files }) => files) };
}

function optionFlags(scope?: OptionSpec['scope']): Completion {
  const shown = (OPTIONS as readonly OptionSpec[]).filter((option) => scope === undefined || option.scope === scope);
  return { candidates: shown.map(({ name, summary }) => ({ word: `--${name}`, about: summary })), files: false };
}

async function optionValue(option: OptionSpec, known: Known): Promise<Completion> {
  if (option.choices !== undefined) return offer(option.choices);
  if (option.name === 'context') return offer(await known.contexts());
  return option.value === 'FILE' || option.value === 'DIR' ? FILES : offer([]);
}

/** What the words of a usage text say that may come: `list | use NAME`, `add|remove NAME ID`, `[slash | underscore]`. */
export function wordsOf(usage: string): string[] {
  const bare = usage.replace(/^\[(.*)\]$/, '$1');
  const ways = bare.includes(' | ') ? bare.split(' | ') : (bare.split(' ')[0] ?? '').split('|');
  return ways.map((way) => way.split(' ')[0] ?? '').filter((word) => /^[a-z]/.test(word));
}

/** Behind a command of stewardctl itself. `words`: those behind its name, the last one being typed. */
async function ofCommand(entry: ManualEntry, words: readonly string[], known: Known): Promise<Completion> {
  const typed = words.at(-1) ?? '';
  const before = readToken(words.at(-2) ?? '');
  const option = before.kind === 'long' ? entry.options.find(({ name }) => name === before.name) : undefined;
  if (option?.value !== undefined && before.value === undefined) return FILES;
  if (typed.startsWith('-')) {
    const own = entry.options.map(({ name, summary }) => ({ word: `--${name}`, about: summary }));
    return merge({ candidates: own, files: false }, optionFlags('connection'));
  }
  if (words.length === 1 && wordsOf(entry.usage).length > 0) return offer(wordsOf(entry.usage));
  if (entry.words[0] === 'context' && words.length === 2) return offer(await known.contexts());
  if (['tool', 'explain', 'resource'].includes(entry.words[0] ?? '') && words.length === 1)
    return offer(await names(entry, known));
  return entry.usage === '' ? offer([]) : FILES;
}

async function names({ words: [command] }: ManualEntry, known: Known): Promise<string[]> {
  const entries = await known.catalogue.entries();
  if (command === 'resource') return entries.flatMap((entry) => (entry.kind === 'resource' ? [entry.uri] : []));
  const tools = entries.filter((entry) => entry.kind === 'tool').map((entry) => entry.name);
  return command === 'tool' ? tools : [...tools, ...entries.map((entry) => entry.group)];
}

/** What two words of a schema have in common beyond the plural; `unit` is what schemes call `service`. */
function stem(word: string): string {
  return (word === 'unit' ? 'service' : word).toLowerCase().replace(/s$/, '');
}

/** The template whose placeholder means what the argument means: by its name, else by a word of the scheme or path. */
function templateFor(argument: Argument, entry: Entry, entries: readonly Entry[]): [TemplateEntry, string] | undefined {
  if (entry.kind === 'template') return [entry, argument.name];
  for (const one of entries) {
    if (one.kind !== 'template') continue;
    const place = one.arguments[0]?.name;
    if (place === undefined || place === 'path') continue;
    const words = one.uriTemplate.replace(/\{.*/, '').split(/[^A-Za-z]+/);
    if (place === argument.name || words.some((word) => word !== '' && stem(word) === stem(argument.name))) return [one, place];
  }
  return undefined;
}

async function argumentValues(argument: Argument, typed: string, entry: Entry, known: Known): Promise<Completion> {
  if (argument.choices.length > 0) return offer(argument.choices);
  if (argument.type === 'boolean') return offer(['true', 'false']);
  if (argument.name === 'path' || /^[@/]/.test(typed)) return FILES;
  const found = templateFor(argument, entry, await known.catalogue.entries());
  if (found === undefined) return offer([]);
  const [{ uriTemplate }, place] = found;
  return offer(await known.catalogue.values(uriTemplate, place, typed).catch(() => []));
}

function argumentFlags(entry: Entry): Completion {
  const flags = entry.arguments.map((argument) => ({ word: `--${flagOf(argument)}`, about: argument.description }));
  return merge({ candidates: flags, files: false }, optionFlags());
}

/** Behind verb and group. */
async function ofEntry(entry: Entry, words: readonly string[], known: Known): Promise<Completion> {
  const typed = words.at(-1) ?? '';
  const named = (token: Token): Argument | undefined =>
    token.kind === 'long' ? entry.arguments.find((argument) => flagOf(argument) === token.name.replaceAll('_', '-')) : undefined;
  let place = 0;
  for (let at = 0; at < words.length - 1; at += 1) {
    const token = readToken(words[at] ?? '');
    const argument = named(token);
    const takesNext = argument === undefined ? optionOf(token)?.value !== undefined : argument.type !== 'boolean';
    if (token.kind === 'word') place += 1;
    else if (token.kind === 'end') return FILES;
    else if (takesNext && token.value === undefined) {
      if (at === words.length - 2 && argument !== undefined) return argumentValues(argument, typed, entry, known);
      at += 1;
    }
  }
  const token = readToken(typed);
  const argument = named(token);
  if (argument !== undefined && token.value !== undefined) {
    const { candidates, files } = await argumentValues(argument, token.value, entry, known);
    return { candidates: candidates.map((one) => ({ ...one, word: `--${token.name}=${one.word}` })), files };
  }
  if (typed.startsWith('-')) return argumentFlags(entry);
  const next = positionalOrder(entry.arguments)[place];
  return next === undefined ? offer([]) : argumentValues(next, typed, entry, known);
}

/** Behind a first word: commands of that name, groups that have such a verb, and what belongs to either. */
async function afterVerb(verb: string, rest: readonly string[], known: Known): Promise<Completion> {
  const commands = await known.commands(verb);
  const entries = (await known.catalogue.entries().catch(() => [])).filter((entry) => entry.verb === verb);
  const entry = entries.find((one) => one.group === rest[0]);
  if (entry !== undefined && rest.length > 1) return ofEntry(entry, rest.slice(1), known);
  const command = commands.find((one) => one.words.slice(1).every((word, at) => rest[at] === word && rest.length > at + 1));
  const own = command === undefined ? offer([]) : await ofCommand(command, rest.slice(command.words.length - 1), known);
  if (rest.length > 1) return own;
  const seconds = commands.flatMap(({ words, summary }) => (words[1] === undefined ? [] : [{ word: words[1], about: summary }]));
  const groups = entries.map(({ group, description }) => ({ word: group, about: description }));
  return merge(own, { candidates: [...seconds, ...groups], files: false });
}

async function firstWord(known: Known): Promise<Completion> {
  const commands = known.words.map(([word, about]) => ({ word, about }));
  const entries = await known.catalogue.entries().catch(() => []);
  return merge({ candidates: commands, files: false }, offer(entries.map((entry) => entry.verb)));
}

/** Where the verb is, behind options; undefined while there is none before the word that is typed. */
function verbAt(words: readonly string[]): number | undefined {
  for (let at = 0; at < words.length - 1; at += 1) {
    const token = readToken(words[at] ?? '');
    if (token.kind === 'word') return at;
    const option = optionOf(token);
    if (option?.value !== undefined && option.fallback === undefined && token.value === undefined) at += 1;
  }
  return undefined;
}

async function all(words: readonly string[], known: Known): Promise<Completion> {
  const typed = words.at(-1) ?? '';
  const before = readToken(words.at(-2) ?? '');
  const option = optionOf(before);
  if (option?.value !== undefined && option.fallback === undefined && before.value === undefined)
    return optionValue(option, known);
  const token = readToken(typed);
  const inline = token.value === undefined || token.kind !== 'long' ? undefined : optionOf(token);
  if (inline !== undefined) {
    const { candidates, files } = await optionValue(inline, known);
    return { candidates: candidates.map((one) => ({ ...one, word: `--${token.name}=${one.word}` })), files };
  }
  const at = verbAt(words);
  if (at !== undefined) return afterVerb(words[at] ?? '', words.slice(at + 1), known);
  return typed.startsWith('-') ? optionFlags() : firstWord(known);
}

/**
 * Completes the last of the words that stand behind `stewardctl`; it may be empty.
 *
 * @returns what begins with it, sorted
 */
export async function complete(words: readonly string[], known: Known): Promise<Completion> {
  const typed = words.at(-1) ?? '';
  const { candidates, files } = await all(words, known);
  const fitting = candidates.filter(({ word }) => word.startsWith(typed));
  return { candidates: fitting.sort((a, b) => (a.word < b.word ? -1 : 1)), files };
}
