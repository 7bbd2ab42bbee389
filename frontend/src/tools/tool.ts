/**
 * What a catalogue entry is: the words that clients see and how a structured result becomes text. It holds no policy and
 * touches no file; the operation does the work, here or in the broker.
 */
import type { ToolName } from '@steward/shared/catalogue/facts.ts';
import type { Operation } from '@steward/shared/ops/operation.ts';

/** `output_format` as the caller gave it. */
export type Form = 'text' | 'json' | 'yaml' | 'table' | 'wide';

/** A finished operation. Its output is spooled, so that rendering can run over it more than once and at the reader's speed. */
export interface Outcome<Result, Item> {
  readonly result: Result;
  /** The records in the order in which they were sent (kind `records`). May be iterated again. */
  records(): AsyncIterable<Item>;
  /** The content (kind `bytes`). May be iterated again. */
  bytes(): AsyncIterable<Uint8Array>;
}

export interface RenderOptions<Args> {
  readonly args: Args;
  readonly form: Form;
  readonly human: boolean;
}

/** Text made piece by piece; a plain string where it is short. */
export type Text = string | AsyncIterable<string>;

export interface Rendered {
  readonly text: Text;
  /** For answers that are failures although the operation returned (every entry of a recursive change failed). */
  readonly isError?: boolean;
  /** Whether the text is one JSON document. Default: it is in every form but `text`. */
  readonly isJson?: boolean;
  /** The answer as one JSON document, where the text is data but no such document (JSON Lines). */
  readonly data?: AsyncIterable<string>;
  /** Extra `_meta` members, for instance `steward/sha256`. */
  readonly meta?: Readonly<Record<string, unknown>>;
}

/** Takes records while they come, and makes the text when all of them are there. For one call. */
export interface Follower<Result, Item> {
  /**
   * Gets the records in the order in which they were sent, each once. Gives what is to be kept in their place, as JSON lines; nothing
   * while it keeps them itself.
   */
  take(records: readonly Item[]): string | undefined;
  /** As the tool's own `text`. The records of this outcome are what `take` gave. */
  text(outcome: Outcome<Result, unknown>): Rendered;
}

export interface Tool<Args = unknown, Result = unknown, Item = never> {
  readonly name: ToolName;
  readonly title: string;
  readonly description: string;
  readonly op: Operation<Args, Result, Item>;
  /** Takes `output_format`. */
  readonly formats: boolean;
  /** Takes `human_readable`. */
  readonly human: boolean;
  /** Arguments of the tool that the operation's schema does not have, or has otherwise (an upload, a default), by name. One that the operation has too takes its place; new ones are listed after its last required argument. */
  readonly extra?: Readonly<Record<string, object>>;
  /** Arguments that are taken although the listing does not show them. */
  readonly unlisted?: Readonly<Record<string, object>>;
  /** Names in `extra` that the caller must give, besides those that the operation requires. */
  readonly required?: readonly string[];
  /** Whether a call with these arguments would change the host (asked when the daemon is read-only); default: the tool's hint. */
  readonly changes?: (args: Readonly<Record<string, unknown>>) => boolean;
  /** Schema of the answer, for tools whose answer is always a JSON object. */
  readonly outputSchema?: object;
  /** Arguments for which the empty string is a value and not "absent". */
  readonly emptyIsValue?: readonly string[];
  /**
   * Translates what the caller may write into what the operation takes (a mode given as integer), before the schema is judged.
   * `seconds` is the time limit of the call, for arguments that must fit into it.
   */
  readonly prepare?: (args: Readonly<Record<string, unknown>>, seconds?: number) => Record<string, unknown>;
  /** The result as text (form `text`, or tools that are text only). */
  text(outcome: Outcome<Result, Item>, options: RenderOptions<Args>): Rendered;
  /** Makes the same text in less time, while records come: for tables, whose columns are measured before the first line can be made, and for long lists. */
  readonly follow?: (options: RenderOptions<Args>) => Follower<Result, Item> | undefined;
  /** The result as the declared JSON; absent for tools that are text only. Default: records as an array, else the result. */
  json?(outcome: Outcome<Result, Item>, options: RenderOptions<Args>): Rendered;
}

// eslint-disable-next-line @typescript-eslint/no-explicit-any -- a list holds tools of every argument and record type
export type AnyTool = Tool<any, any, any>;

/** Declares a catalogue entry; only there so that its literal keeps its types. */
export function tool<Args, Result, Item = never>(entry: Tool<Args, Result, Item>): Tool<Args, Result, Item> {
  return entry;
}
