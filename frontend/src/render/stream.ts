/** Text made piece by piece from what an operation has spooled, so that memory does not grow with the answer. */
import { setImmediate } from 'node:timers/promises';
import { batchesOf } from './batches.ts';

/** Pieces are handed on at about this many characters: few enough to stay small, many enough not to cost a write each. */
const PIECE = 16 * 1024;

/**
 * Joins small strings into pieces of a useful size. The event loop has a turn after every piece: what is at hand in memory
 * would otherwise be worked through in one go.
 */
export async function* inPieces(parts: AsyncIterable<string>): AsyncGenerator<string> {
  let piece = '';
  for await (const part of parts) {
    piece += part;
    if (piece.length < PIECE) continue;
    yield piece;
    piece = '';
    await setImmediate();
  }
  if (piece !== '') yield piece;
}

/** Lines as one text, without a newline at the end. */
export function joinLines(lines: AsyncIterable<string>): AsyncIterable<string> {
  return inPieces(separated(lines));
}

async function* separated(lines: AsyncIterable<string>): AsyncGenerator<string> {
  let before = '';
  for await (const batch of batchesOf(lines)) {
    if (batch.length === 0) continue;
    yield before + batch.join('\n');
    before = '\n';
  }
}

/** Bytes as text: invalid UTF-8 becomes U+FFFD, also across pieces; a byte order mark is content and stays. */
export async function* decoded(bytes: AsyncIterable<Uint8Array>): AsyncGenerator<string> {
  const decoder = new TextDecoder('utf-8', { ignoreBOM: true });
  for await (const piece of bytes) yield decoder.decode(piece, { stream: true });
  const rest = decoder.decode();
  if (rest !== '') yield rest;
}

/** The whole of a text that is small enough to be held. */
export async function wholeText(parts: AsyncIterable<string>): Promise<string> {
  let text = '';
  for await (const part of parts) text += part;
  return text;
}
