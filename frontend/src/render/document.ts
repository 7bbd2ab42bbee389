/**
 * JSON objects of any length, made member by member in the layout of `JSON.stringify(value, null, 2)`: some members are arrays or
 * maps whose entries come one by one.
 */
import { inPieces } from './stream.ts';

/** An array or a map that is not in memory. */
type Long = { readonly array: AsyncIterable<unknown> } | { readonly map: AsyncIterable<readonly [string, unknown]> };

/** A member that is undefined is left out. */
export type Member = readonly [name: string, value: unknown];

class LongValue {
  readonly content: Long;

  constructor(content: Long) {
    this.content = content;
  }
}

/** A member's value: an array of these elements. */
export function arrayOf(elements: AsyncIterable<unknown>): object {
  return new LongValue({ array: elements });
}

/** A member's value: an object with these members, whose names must all differ. */
export function mapOf(entries: AsyncIterable<readonly [string, unknown]>): object {
  return new LongValue({ map: entries });
}

/** One object with these members in this order. */
export function jsonDocument(members: readonly Member[]): AsyncIterable<string> {
  return inPieces(documentText(members));
}

async function* documentText(members: readonly Member[]): AsyncGenerator<string> {
  let before = '{\n  ';
  for (const [name, value] of members) {
    if (value === undefined) continue;
    yield `${before}${JSON.stringify(name)}: `;
    if (value instanceof LongValue) yield* longText(value.content);
    else yield indented(value, '  ');
    before = ',\n  ';
  }
  yield before.startsWith('{') ? '{}' : '\n}';
}

async function* longText(long: Long): AsyncGenerator<string> {
  const [open, close] = 'array' in long ? ['[', ']'] : ['{', '}'];
  let before = `${open}\n    `;
  for await (const entry of 'array' in long ? elementTexts(long.array) : memberTexts(long.map)) {
    yield before + entry;
    before = ',\n    ';
  }
  yield before.startsWith(',') ? `\n  ${close}` : `${open}${close}`;
}

async function* elementTexts(elements: AsyncIterable<unknown>): AsyncGenerator<string> {
  for await (const element of elements) yield indented(element, '    ');
}

async function* memberTexts(entries: AsyncIterable<readonly [string, unknown]>): AsyncGenerator<string> {
  for await (const [name, value] of entries) yield `${JSON.stringify(name)}: ${indented(value, '    ')}`;
}

/** Strings hold no raw newline in JSON, so every newline is one of the layout. */
function indented(value: unknown, indent: string): string {
  return JSON.stringify(value, null, 2).replaceAll('\n', `\n${indent}`);
}
