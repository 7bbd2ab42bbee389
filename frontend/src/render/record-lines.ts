/**
 * Text of any length that says something of each record, one below the other. It is made while the operation is still at work; what is
 * kept of the records is their lines.
 */
import type { RenderOptions, Tool } from '../tools/tool.ts';
import { inBatches, mapped } from './batches.ts';
import { joinLines } from './stream.ts';

/** Characters of a text that is held. */
const HELD = 128 * 1024;

/** The two ways to the text of a tool whose records are a line each, or some; `lineOf` must give the same for the same record. */
export function lineText<Args, Result, Item>(
  lineOf: (options: RenderOptions<Args>) => (record: Item) => string,
): Pick<Required<Tool<Args, Result, Item>>, 'text' | 'follow'> {
  return {
    text: (outcome, options) => ({ text: joinLines(mapped(outcome.records(), lineOf(options))) }),
    follow: (options) => {
      const lines = new RecordLines(lineOf(options));
      return {
        take: (records) => lines.take(records),
        text: (outcome) => ({ text: joinLines(lines.all(outcome.records() as AsyncIterable<string>)) }),
      };
    },
  };
}

class RecordLines<Item> {
  readonly #line: (record: Item) => string;
  #held: string[] | undefined = [];
  #size = 0;

  constructor(line: (record: Item) => string) {
    this.#line = line;
  }

  /** The lines of these records as one JSON string, or nothing while the text is small. */
  take(records: readonly Item[]): string | undefined {
    if (records.length === 0) return undefined;
    const text = records.map(this.#line).join('\n');
    if (this.#held === undefined) return JSON.stringify(text);
    this.#held.push(text);
    this.#size += text.length;
    if (this.#size <= HELD) return undefined;
    const kept = this.#held.map((one) => JSON.stringify(one)).join('\n');
    this.#held = undefined;
    return kept;
  }

  /** All lines; `kept` are what `take` gave. */
  all(kept: AsyncIterable<string>): AsyncIterable<string> {
    const held = this.#held;
    if (held === undefined) return kept;
    // eslint-disable-next-line @typescript-eslint/require-await -- held or not, it is read the same way
    return inBatches(async function* () {
      yield held;
    });
  }
}
