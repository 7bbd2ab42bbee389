/** For unit tests alone: finished operations made of fixtures. */
import type { Form, Outcome, Rendered, RenderOptions, Text } from '../tools/tool.ts';

/** An outcome of these records and bytes; both may be iterated again, as with the real ones. */
export function outcomeOf<Result, Item = never>(
  result: Result,
  records: readonly Item[] = [],
  bytes: readonly Uint8Array[] = [],
): Outcome<Result, Item> {
  return { result, records: () => iterate(records), bytes: () => iterate(bytes) };
}

/** Gives out the items one by one, asynchronously. */
export async function* iterate<T>(items: readonly T[]): AsyncGenerator<T> {
  for (const item of items) yield await Promise.resolve(item);
}

/** Render options with text form and sizes in bytes unless told otherwise. */
export function optionsOf<Args>(args: Args, given: { form?: Form; human?: boolean } = {}): RenderOptions<Args> {
  return { args, form: given.form ?? 'text', human: given.human ?? false };
}

/** The whole text of a rendering. */
export function textOf(rendered: Rendered): Promise<string> {
  return collect(rendered.text);
}

/** The whole of a text of either form. */
export async function collect(text: Text): Promise<string> {
  if (typeof text === 'string') return text;
  let whole = '';
  for await (const piece of text) whole += piece;
  return whole;
}
