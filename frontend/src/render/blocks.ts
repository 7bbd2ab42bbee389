/** Text in blocks: some lines for each record, one block below the other. */
import { joinLines } from './stream.ts';

/** The blocks of all records, or `none` when there are none. */
export function blocks<Item>(records: AsyncIterable<Item>, block: (item: Item) => string, none: string): AsyncIterable<string> {
  return joinLines(orNone(records, block, none));
}

async function* orNone<Item>(records: AsyncIterable<Item>, block: (item: Item) => string, none: string): AsyncGenerator<string> {
  let empty = true;
  for await (const record of records) {
    empty = false;
    yield block(record);
  }
  if (empty) yield none;
}
