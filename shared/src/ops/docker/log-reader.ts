/**
 * Takes the last lines out of a stream of output whose length is not known before its end. Held is at most twice as much as may be
 * answered: enough for the lines before the wanted ones in the usual case; where it is not, a second pass leaves those out.
 */
import { wholeCharacters, type Piece, type StreamName } from '../../engine/streams.ts';

/** Bytes of one answer. */
export const MAX_OUTPUT = 1024 * 1024;

const NEWLINE = 0x0a;

export interface Held {
  /** Lines of the wanted streams that came in all, an unfinished last one too. */
  readonly seen: number;
  /** Frames of any stream: what the engine counts as lines. 0 for output without frames. */
  readonly frames: number;
  /** The first bytes after the lines that were left out. */
  readonly bytes: Buffer;
  /** True when more came than is held. */
  readonly more: boolean;
}

/** Reads to the end; leaves out the first `skip` lines and holds what follows, up to twice MAX_OUTPUT. */
export async function readOutput(pieces: AsyncIterable<Piece>, wanted: ReadonlySet<StreamName>, skip: number): Promise<Held> {
  const held: Buffer[] = [];
  let room = 2 * MAX_OUTPUT;
  let ended = 0;
  let frames = 0;
  let open = false;
  let more = false;
  for await (const { stream, bytes, begins } of pieces) {
    if (begins) frames += 1;
    if (!wanted.has(stream) || bytes.length === 0) continue;
    const part = bytes.subarray(endOfLines(bytes, skip - ended));
    ended += newlines(bytes);
    open = bytes[bytes.length - 1] !== NEWLINE;
    // A copy: the piece is part of a larger buffer that would stay in memory with it.
    if (part.length > 0 && room > 0) held.push(Buffer.from(part.subarray(0, room)));
    more ||= part.length > room;
    room = Math.max(0, room - part.length);
  }
  return { seen: ended + (open ? 1 : 0), frames, bytes: Buffer.concat(held), more };
}

export interface Answer {
  readonly bytes: Buffer;
  /** True when it was cut at its end. */
  readonly truncated: boolean;
}

/** What is held without its first lines, cut to the size of an answer; undefined when too little of it is held. */
export function withoutFirst({ bytes, more }: Held, lines: number): Answer | undefined {
  const rest = bytes.subarray(endOfLines(bytes, lines));
  if (more && rest.length < MAX_OUTPUT) return undefined;
  const truncated = more || rest.length > MAX_OUTPUT;
  return { bytes: truncated ? wholeCharacters(rest.subarray(0, MAX_OUTPUT)) : rest, truncated };
}

/** Where the bytes go on after so many lines; their end when there are fewer. */
function endOfLines(bytes: Buffer, lines: number): number {
  let at = 0;
  for (let left = lines; left > 0; left -= 1) {
    const end = bytes.indexOf(NEWLINE, at);
    if (end === -1) return bytes.length;
    at = end + 1;
  }
  return at;
}

/** Lines in a text, the unfinished last one too. */
export function countLines(bytes: Buffer): number {
  return newlines(bytes) + (bytes.length > 0 && bytes[bytes.length - 1] !== NEWLINE ? 1 : 0);
}

function newlines(bytes: Buffer): number {
  let count = 0;
  for (let at = bytes.indexOf(NEWLINE); at !== -1; at = bytes.indexOf(NEWLINE, at + 1)) count += 1;
  return count;
}
