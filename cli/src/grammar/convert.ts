/**
 * Turns texts of the command line into values, by the type of the schema alone: a hash of digits stays a string. Reads files
 * and standard input where a named string asks for it.
 */
import { isObject, type Argument, type ArgumentType } from './argument.ts';
import type { Given } from './parse.ts';
import { usageError } from '../exit.ts';

/** Where `@FILE` and `-` come from. Both throw with a message for people. */
export interface Sources {
  file(path: string): string;
  input(): Promise<string>;
}

function wrong(argument: Argument, type: string, text: string): Error {
  return usageError(`${argument.name} must be ${type}, got "${text}"`);
}

function scalar(argument: Argument, type: ArgumentType, text: string): unknown {
  if (type === 'integer' || type === 'number') {
    const value = Number(text);
    const plain = type === 'integer' ? /^[+-]?\d+$/ : /^[+-]?(\d+(\.\d*)?|\.\d+)(e[+-]?\d+)?$/i;
    if (!plain.test(text) || !Number.isFinite(value)) throw wrong(argument, type === 'integer' ? 'an integer' : 'a number', text);
    if (type === 'integer' && !Number.isSafeInteger(value)) throw wrong(argument, 'an integer below 2^53', text);
    return value;
  }
  if (type === 'boolean') {
    if (text !== 'true' && text !== 'false') throw wrong(argument, 'true or false', text);
    return text === 'true';
  }
  return type === 'object' || type === 'array' ? json(argument, type, text) : text;
}

function json(argument: Argument, type: 'object' | 'array', text: string): unknown {
  try {
    const value: unknown = JSON.parse(text);
    if (type === 'array' ? Array.isArray(value) : isObject(value)) return value;
  } catch {
    // Said below: the message of the JSON parser does not name the argument.
  }
  throw wrong(argument, type === 'array' ? 'a JSON array' : 'a JSON object or name: value', text);
}

/** A single text that is a JSON array is one; else each text is a member. */
function array(argument: Argument, texts: readonly string[], named: boolean): unknown[] {
  const [only] = texts;
  if (named && texts.length === 1 && only?.startsWith('[') === true) {
    try {
      const value: unknown = JSON.parse(only);
      if (Array.isArray(value)) return value;
    } catch {
      // A member that merely begins with a bracket.
    }
  }
  return texts.map((text) => scalar(argument, argument.items, text));
}

/** `name: value` and `name=value` pairs, or JSON objects, merged in order. */
function object(argument: Argument, texts: readonly string[]): Record<string, unknown> {
  const merged = new Map<string, unknown>();
  for (const text of texts) {
    if (text.trimStart().startsWith('{')) {
      for (const [key, value] of Object.entries(json(argument, 'object', text) as object)) merged.set(key, value);
      continue;
    }
    const pair = /^([^:=]+)[:=]\s*(.*)$/s.exec(text);
    if (pair === null) throw wrong(argument, 'pairs like "name: value" or a JSON object', text);
    merged.set((pair[1] ?? '').trim(), pair[2] ?? '');
  }
  return Object.fromEntries(merged);
}

/** `@FILE` is the text of that file, `-` standard input, and `@@` at the beginning one literal `@`. */
async function expand(argument: Argument, text: string, sources: Sources): Promise<string> {
  if (text === '-') return sources.input();
  if (text.startsWith('@@')) return text.slice(1);
  if (!text.startsWith('@')) return text;
  try {
    return sources.file(text.slice(1));
  } catch (error) {
    const reason = error instanceof Error ? error.message : String(error);
    throw usageError(`${argument.name}: ${reason} (write @${text} for a value that begins with @)`);
  }
}

async function valueOf({ argument, texts, named }: Given, sources: Sources): Promise<unknown> {
  if (argument.type === 'array') return array(argument, texts, named);
  if (argument.type === 'object') return object(argument, texts);
  const text = texts[0] ?? '';
  if (argument.type === 'string') return named ? expand(argument, text, sources) : text;
  return scalar(argument, argument.type, text);
}

/** The arguments of the call. @throws CliError (usage) for a text that is not of its argument's type */
export async function toArguments(given: readonly Given[], sources: Sources): Promise<Record<string, unknown>> {
  const values: [string, unknown][] = [];
  for (const one of given) values.push([one.argument.name, await valueOf(one, sources)]);
  return Object.fromEntries(values);
}
