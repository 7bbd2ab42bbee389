/**
 * Cuts a command line into the options of stewardctl itself and the rest, before anything is known about tools: which flags a
 * tool has, and which of them take a value, only the server's schema says.
 */
import { usageError } from './exit.ts';
import {
  findOption,
  findShort,
  FORMATS,
  OPTIONS,
  setFlag,
  textOf,
  unknownFlag,
  type Flags,
  type Format,
  type OptionName,
  type OptionSpec,
} from './options.ts';

/** One word of the line, split at `=` where it is a long flag. */
export interface Token {
  readonly kind: 'long' | 'short' | 'word' | 'end';
  /** Name without dashes, or the word itself. */
  readonly name: string;
  /** Text after `=`. */
  readonly value?: string;
}

/** Reads one word. `-` and what looks like a negative number are words; `--` ends the options. */
export function readToken(text: string): Token {
  if (text === '--') return { kind: 'end', name: '' };
  if (text.startsWith('--')) {
    const equals = text.indexOf('=');
    if (equals < 0) return { kind: 'long', name: text.slice(2) };
    return { kind: 'long', name: text.slice(2, equals), value: text.slice(equals + 1) };
  }
  if (/^-[A-Za-z]/.test(text)) {
    return { kind: 'short', name: text.charAt(1), ...(text.length > 2 ? { value: text.slice(2).replace(/^=/, '') } : {}) };
  }
  return { kind: 'word', name: text };
}

/** The value of a flag: behind `=`, else the next word. A value that begins with two dashes needs `=`. */
export function takeValue(words: string[], flag: string, token: Token): string {
  if (token.value !== undefined) return token.value;
  const next = words[0];
  if (next === undefined) throw usageError(`${flag} needs a value`);
  if (next.startsWith('--')) throw usageError(`${flag} needs a value (write ${flag}=${next} if that is it)`);
  words.shift();
  return next;
}

/** The option of stewardctl that a token names. */
export function optionOf(token: Token): ReturnType<typeof findOption> {
  if (token.kind === 'long') return findOption(token.name);
  return token.kind === 'short' ? findShort(token.name) : undefined;
}

const NUMBER = /^\d+(\.\d+)?$/;

function valueOf({ fallback }: OptionSpec, words: string[], flag: string, token: Token): string {
  if (fallback === undefined || token.value !== undefined) return takeValue(words, flag, token);
  return NUMBER.test(words[0] ?? '') ? takeValue(words, flag, token) : fallback;
}

/** Takes one option of stewardctl off the line. @throws CliError when a value is missing or not allowed */
export function takeOption(words: string[], token: Token, flags: Flags): boolean {
  const option = optionOf(token);
  if (option === undefined) return false;
  const flag = token.kind === 'short' ? `-${token.name}` : `--${token.name}`;
  if (option.value !== undefined) setFlag(flags, option, valueOf(option, words, flag, token));
  else if (token.value !== undefined) throw usageError(`${flag} takes no value`);
  else setFlag(flags, option, true);
  return true;
}

/** Takes the options up to the next word, and that word, off the line. All of them must be stewardctl's own. */
export function takeWord(words: string[], flags: Flags): string | undefined {
  while (words.length > 0) {
    const text = words.shift() ?? '';
    const token = readToken(text);
    if (token.kind === 'word') return text;
    if (token.kind === 'end') return words.shift();
    if (!takeOption(words, token, flags)) {
      throw unknownFlag(
        text,
        OPTIONS.map((option) => option.name),
      );
    }
  }
  return undefined;
}

/**
 * Takes the options that say where to connect out of the rest of the line, up to `--`; they must be known before the schemas
 * are. Those that belong before the verb stay: `--insecure` behind it would change how the token is protected although it may be
 * meant for a tool of that name.
 *
 * @returns the names that were taken
 */
export function takeConnection(words: string[], flags: Flags): Set<string> {
  const rest: string[] = [];
  const taken = new Set<string>();
  while (words.length > 0 && words[0] !== '--') {
    const text = words.shift() ?? '';
    const token = readToken(text);
    const option = token.kind === 'long' ? findOption(token.name) : undefined;
    if (option?.scope === 'connection' && option.leading !== true) {
      takeOption(words, token, flags);
      taken.add(option.name);
    } else rest.push(text);
  }
  words.unshift(...rest);
  return taken;
}

/** An option of stewardctl wherever it stands before `--`: what is wrong with it is said when the line is read. The last one counts. */
function anywhere(words: readonly string[], flags: Flags, name: OptionName): string | undefined {
  let found = textOf(flags, name);
  for (const [at, text] of words.entries()) {
    if (text === '--') break;
    const token = readToken(text);
    const option = optionOf(token);
    if (option?.name === name) found = token.value ?? takesNumber(option, words[at + 1]);
  }
  return found;
}

/** The next word as the value of an option, or what stands for it where the next word is none. */
function takesNumber({ fallback }: OptionSpec, next: string | undefined): string | undefined {
  return fallback === undefined || NUMBER.test(next ?? '') ? next : fallback;
}

/** The form that `-o` asks for. */
export function formatAnywhere(words: readonly string[], flags: Flags): Format {
  const found = anywhere(words, flags, 'output');
  return FORMATS.find((format) => format === found) ?? 'text';
}

/** What `--watch` asks for, as text; undefined without it. */
export function watchAnywhere(words: readonly string[], flags: Flags): string | undefined {
  return anywhere(words, flags, 'watch');
}
