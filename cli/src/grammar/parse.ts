/**
 * Reads what stands behind verb and group: which word or flag means which argument. Only the schema decides: a flag that it
 * has is the tool's, any other must be one of stewardctl's own. Values are not looked at here.
 */
import { flagOf, positionalOrder, type Argument } from './argument.ts';
import { usageError } from '../exit.ts';
import { OPTIONS, setFlag, unknownFlag, type Flags } from '../options.ts';
import { optionOf, readToken, takeOption, takeValue, type Token } from '../line.ts';

/** One argument with everything given for it, still as text. */
export interface Given {
  readonly argument: Argument;
  readonly texts: string[];
  /** Given by its name, so that `@FILE` and `-` are read. */
  readonly named: boolean;
}

export interface Parsed {
  readonly given: readonly Given[];
  readonly flags: Flags;
}

const same = (flag: string, argument: Argument): boolean => flag.replaceAll('-', '_') === argument.name.replaceAll('-', '_');

class Reader {
  readonly given = new Map<string, Given>();
  readonly words: string[] = [];
  readonly flags: Flags = new Map();
  readonly #all: readonly Argument[];

  constructor(all: readonly Argument[]) {
    this.#all = all;
  }

  /** Adds a value; only arrays and objects take more than one. */
  add(argument: Argument, text: string, named: boolean): void {
    const before = this.given.get(argument.name);
    if (before === undefined) this.given.set(argument.name, { argument, texts: [text], named });
    else if (argument.type === 'array' || argument.type === 'object') before.texts.push(text);
    else throw usageError(`--${flagOf(argument)} is given twice`);
  }

  /** Takes a flag that the schema has: `--name value`, `--switch`, `--no-switch`. */
  takeArgument(token: Token, line: string[]): boolean {
    if (token.kind !== 'long') return false;
    const argument = this.#all.find((candidate) => same(token.name, candidate));
    if (argument?.type === 'boolean') {
      this.add(argument, token.value ?? 'true', true);
      return true;
    }
    if (argument !== undefined) {
      this.add(argument, takeValue(line, `--${token.name}`, token), true);
      return true;
    }
    const negated = this.#all.find(
      (candidate) => candidate.type === 'boolean' && same(token.name, { ...candidate, name: `no_${candidate.name}` }),
    );
    if (negated === undefined || token.value !== undefined) return false;
    this.add(negated, 'false', true);
    return true;
  }

  /** Words behind `--`: all of them are one array where the tool has one to fill, else they are plain words. */
  takeRest(rest: readonly string[]): void {
    const array = this.#all.find((argument) => argument.type === 'array' && !this.given.has(argument.name));
    if (array === undefined) this.words.push(...rest);
    else for (const word of rest) this.add(array, word, false);
  }

  /** Words without a flag fill what no flag has filled, in order; an array takes all that are left. */
  placeWords(what: string): void {
    const order = positionalOrder(this.#all).filter((argument) => !this.given.has(argument.name));
    while (this.words.length > 0) {
      const argument = order.shift();
      if (argument === undefined) throw usageError(`${what} has no argument left for "${this.words.join(' ')}": ${helpOf(what)}`);
      const taken = this.words.splice(0, argument.type === 'array' ? this.words.length : 1);
      for (const word of taken) this.add(argument, word, false);
    }
  }

  /** Names of all flags, for the nearest word. */
  knownFlags(): string[] {
    const own = OPTIONS.filter((option) => option.scope === 'call').map((option) => option.name);
    return [...this.#all.map(flagOf), ...own];
  }
}

/** What to do next when a line is not understood. */
function helpOf(what: string): string {
  return `stewardctl ${what} --help says what it takes`;
}

/** Options of stewardctl that stand for an argument; without that argument they are wrong, not ignored. */
const DRAWN_HERE: readonly unknown[] = ['table', 'wide'];
const STANDS_FOR = { human: 'human_readable', 'dry-run': 'dry_run' } as const;

function applyFlags(reader: Reader, all: readonly Argument[], what: string): void {
  for (const [option, name] of Object.entries(STANDS_FOR)) {
    if (!reader.flags.has(option as keyof typeof STANDS_FOR)) continue;
    const argument = all.find((candidate) => candidate.name === name && candidate.type === 'boolean');
    if (argument === undefined) {
      // Tables are drawn here, so that their sizes can be human whatever the tool takes.
      if (option === 'human' && DRAWN_HERE.includes(reader.flags.get('output'))) continue;
      throw usageError(`${what} takes no --${option}`);
    }
    if (!reader.given.has(name)) reader.add(argument, 'true', true);
  }
}

/**
 * Reads the words behind the group.
 *
 * @param what the words behind `stewardctl` that name the command, for messages
 * @param leading options of stewardctl that stood before the verb
 * @throws CliError (usage) for flags and words that belong to nothing, and for required arguments that are missing
 */
export function parseArguments(what: string, all: readonly Argument[], words: readonly string[], leading: Flags): Parsed {
  const reader = new Reader(all);
  const line = [...words];
  for (let text = line.shift(); text !== undefined; text = line.shift()) {
    const token = readToken(text);
    if (token.kind === 'end') reader.takeRest(line.splice(0));
    else if (token.kind === 'word') reader.words.push(text);
    else if (reader.takeArgument(token, line)) continue;
    else if (optionOf(token)?.leading === true) throw usageError(`--${token.name} must stand before the verb`);
    else if (!takeOption(line, token, reader.flags)) throw unknownFlag(text, reader.knownFlags(), what);
  }
  for (const [name, value] of leading) {
    const option = OPTIONS.find((candidate) => candidate.name === name);
    if (option?.scope === 'call') setFlag(reader.flags, option, value);
  }
  if (reader.flags.has('help')) return { given: [], flags: reader.flags };
  reader.placeWords(what);
  applyFlags(reader, all, what);
  const missing = all.filter((argument) => argument.required && !reader.given.has(argument.name));
  if (missing.length > 0)
    throw usageError(`${what} needs ${missing.map((argument) => argument.name).join(', ')}: ${helpOf(what)}`);
  return { given: [...reader.given.values()], flags: reader.flags };
}

/** Reads `key=value` words, which name the arguments of `stewardctl tool`; options of stewardctl may stand between them. */
export function parsePairs(what: string, all: readonly Argument[], words: readonly string[], leading: Flags): Parsed {
  let isValue = false;
  const turned = words.map((word) => {
    const wasValue = isValue;
    isValue = !wasValue && takesNext(word);
    if (wasValue || word.startsWith('-')) return word;
    const equals = word.indexOf('=');
    if (equals < 1) throw usageError(`arguments of ${what} are written key=value, got "${word}"`);
    return `--${word}`;
  });
  return parseArguments(what, all, turned, leading);
}

/** Whether a word is an option of stewardctl whose value is the next word. */
function takesNext(word: string): boolean {
  const token = readToken(word);
  const option = optionOf(token);
  return option?.value !== undefined && option.fallback === undefined && token.value === undefined;
}
