/** JSON forms: two-space indent, no final newline, exactly as `JSON.stringify(value, null, 2)` writes them. */
import { inPieces } from './stream.ts';

/** A document that fits in memory. */
export function jsonText(value: unknown): string {
  return JSON.stringify(value, null, 2);
}

/** An array of any length, made record by record. */
export function jsonArray(records: AsyncIterable<unknown>): AsyncIterable<string> {
  return inPieces(elements(records));
}

async function* elements(records: AsyncIterable<unknown>): AsyncGenerator<string> {
  let before = '[\n  ';
  for await (const record of records) {
    // Strings hold no raw newline in JSON, so every newline is one of the layout.
    yield before + jsonText(record).replaceAll('\n', '\n  ');
    before = ',\n  ';
  }
  yield before.startsWith('[') ? '[]' : '\n]';
}

/** An object whose first member is an array of any length; `rest` are the members behind it. */
export function jsonObject(
  name: string,
  records: AsyncIterable<unknown>,
  rest: Readonly<Record<string, unknown>>,
): AsyncIterable<string> {
  return inPieces(members(name, records, rest));
}

async function* members(name: string, records: AsyncIterable<unknown>, rest: object): AsyncGenerator<string> {
  yield `{\n  ${JSON.stringify(name)}: `;
  for await (const piece of elements(records)) yield piece.replaceAll('\n', '\n  ');
  for (const [key, value] of Object.entries(rest)) {
    yield `,\n  ${JSON.stringify(key)}: ${jsonText(value).replaceAll('\n', '\n  ')}`;
  }
  yield '\n}';
}
