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
