/** JSON objects with members whose text is made piece by piece, so that long output is never held a second time. */
import { inPieces } from '../../render/stream.ts';

type Members = Readonly<Record<string, unknown>>;

/** `JSON.stringify(.., null, 2)` of the members before, the texts, and the members after. There must be at least one before. */
export function jsonWithTexts(
  before: Members,
  texts: Readonly<Record<string, () => AsyncIterable<string>>>,
  after: Members,
): AsyncIterable<string> {
  return inPieces(parts(before, texts, after));
}

async function* parts(
  before: Members,
  texts: Readonly<Record<string, () => AsyncIterable<string>>>,
  after: Members,
): AsyncGenerator<string> {
  yield `{\n${inner(before)}`;
  for (const [name, text] of Object.entries(texts)) {
    yield `,\n  ${JSON.stringify(name)}: "`;
    // Every piece holds whole characters, so that each can be written by itself.
    for await (const piece of text()) yield JSON.stringify(piece).slice(1, -1);
    yield '"';
  }
  const rest = inner(after);
  yield rest === '' ? '\n}' : `,\n${rest}\n}`;
}

/** The members as they stand inside of an object; empty for none. */
function inner(members: Members): string {
  return JSON.stringify(members, null, 2).slice(1, -1).replace(/^\n/, '').replace(/\n$/, '');
}
