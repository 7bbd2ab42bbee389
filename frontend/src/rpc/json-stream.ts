/**
 * Writes a JSON document piece by piece. Long texts are leaves that are still being made (from a spool): they are escaped as
 * they come, so that memory stays flat whatever the size of an answer. Trusted with well-formed JSON on one line.
 */

/** Ends JSON.stringify at a leaf that it cannot write. */
const NOT_PLAIN = new Error('a leaf of its own kind');

/** A leaf that only this file can write. */
abstract class OwnLeaf {
  toJSON(): never {
    throw NOT_PLAIN;
  }
}

/** A string that is made piece by piece. It is read once. */
export class StreamedText extends OwnLeaf {
  readonly pieces: AsyncIterable<string>;

  constructor(pieces: AsyncIterable<string>) {
    super();
    this.pieces = pieces;
  }
}

/** JSON that has been made already and goes out as it is. */
export class ReadyJson extends OwnLeaf {
  readonly text: string;

  constructor(text: string) {
    super();
    this.text = text;
  }
}

/** A JSON document that is made piece by piece, in any layout; its line breaks are left out. It is read once. */
export class StreamedJson extends OwnLeaf {
  readonly pieces: AsyncIterable<string>;

  constructor(pieces: AsyncIterable<string>) {
    super();
    this.pieces = pieces;
  }
}

type Leaf = StreamedText | StreamedJson;

export type JsonNode =
  | null
  | boolean
  | number
  | string
  | StreamedText
  | StreamedJson
  | ReadyJson
  | readonly JsonNode[]
  | { readonly [key: string]: JsonNode | undefined };

/** UTF-16 units after which a piece goes out although more is at hand. */
const PIECE = 32 * 1024;

/** The document as a string where it is whole, else piece by piece. Object members that are undefined are left out. */
export function encodeJson(node: JsonNode): string | AsyncIterable<string> {
  const whole = plain(node);
  if (whole !== undefined) return whole;
  const pieces: (string | Leaf)[] = [];
  collect(node, pieces);
  if (pieces.every((piece) => typeof piece === 'string')) return pieces.join('');
  return written(pieces);
}

/** A document of nothing but plain values, as most answers are: written by the engine itself. */
function plain(node: JsonNode): string | undefined {
  try {
    return JSON.stringify(node);
  } catch (error) {
    if (error === NOT_PLAIN) return undefined;
    throw error;
  }
}

/** The document in the order in which it is written, its streamed leaves still unread. */
function collect(node: JsonNode, out: (string | Leaf)[]): void {
  if (node instanceof StreamedText) out.push('"', node, '"');
  else if (node instanceof StreamedJson) out.push(node);
  else if (node instanceof ReadyJson) out.push(node.text);
  else if (isList(node)) collectList(node, out);
  else if (typeof node === 'object' && node !== null) collectObject(node, out);
  else out.push(JSON.stringify(node));
}

function isList(node: JsonNode): node is readonly JsonNode[] {
  return Array.isArray(node);
}

function collectList(nodes: readonly JsonNode[], out: (string | Leaf)[]): void {
  out.push('[');
  nodes.forEach((node, index) => {
    if (index > 0) out.push(',');
    collect(node, out);
  });
  out.push(']');
}

function collectObject(node: { readonly [key: string]: JsonNode | undefined }, out: (string | Leaf)[]): void {
  let before = '{';
  for (const [key, value] of Object.entries(node)) {
    if (value === undefined) continue;
    out.push(before, JSON.stringify(key), ':');
    collect(value, out);
    before = ',';
  }
  out.push(before === '{' ? '{}' : '}');
}

async function* written(pieces: readonly (string | Leaf)[]): AsyncGenerator<string> {
  let held = '';
  for (const piece of pieces) {
    if (typeof piece === 'string') {
      held += piece;
      continue;
    }
    const encode = piece instanceof StreamedText ? escaped : onOneLine;
    for await (const text of piece.pieces) {
      for (let at = 0; at < text.length; at += PIECE) {
        held += encode(text.slice(at, at + PIECE));
        if (held.length < PIECE) continue;
        yield held;
        held = '';
      }
    }
  }
  if (held !== '') yield held;
}

/** A surrogate pair cut in two is escaped in two halves, which a parser puts together again. */
const escaped = (text: string): string => JSON.stringify(text).slice(1, -1);

/** Strings hold no raw line break in JSON, so every one is layout. */
const onOneLine = (text: string): string => text.replaceAll('\n', '');
