/** The blocks of lines in which docker objects are listed: a head, then indented lines. */
import { escapeName } from '../../render/names.ts';
import { joinLines } from '../../render/stream.ts';
import type { Rendered } from '../tool.ts';

/** One block per record, or a sentence when there are none. */
export function blocks<Item>(
  count: number,
  records: () => AsyncIterable<Item>,
  block: (item: Item) => readonly string[],
  kind: string,
): Rendered {
  if (count === 0) return { text: `No ${kind} found matching the criteria.` };
  return { text: joinLines(lines(records(), block)) };
}

async function* lines<Item>(records: AsyncIterable<Item>, block: (item: Item) => readonly string[]): AsyncGenerator<string> {
  for await (const record of records) yield* block(record).map(escapeName);
}

/** Names in one line; `-` for none. */
export function listed(names: readonly string[]): string {
  return names.join(', ') || '-';
}
