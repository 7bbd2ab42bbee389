/** The data beside the text of a result: the same JSON, as one object, for clients that take it. */
import { ReadyJson, StreamedJson, type JsonNode } from '../rpc/json-stream.ts';
import type { Rendered } from './tool.ts';

/**
 * The `structuredContent` of a result; undefined beside text that is no JSON, and in failures. `again` renders once more, since a
 * streamed text can be read only once.
 */
export function structuredNode({ text, isJson, isError, data }: Rendered, again: () => Rendered): JsonNode | undefined {
  if (isError === true) return undefined;
  if (data !== undefined) return new StreamedJson(data);
  if (isJson !== true) return undefined;
  if (typeof text !== 'string') return new StreamedJson(asObject(again().text as AsyncIterable<string>));
  const line = text.replaceAll('\n', '');
  return new ReadyJson(line.startsWith('[') ? `${ITEMS}${line}}` : line);
}

/** Most revisions take only objects: an array is a member of one. */
const ITEMS = '{"items":';

async function* asObject(pieces: AsyncIterable<string>): AsyncGenerator<string> {
  let end: string | undefined;
  for await (const piece of pieces) {
    if (end === undefined && piece !== '') {
      end = piece.startsWith('[') ? '}' : '';
      if (end !== '') yield ITEMS;
    }
    yield piece;
  }
  if (end !== undefined && end !== '') yield end;
}
