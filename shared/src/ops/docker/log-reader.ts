/**
 * Takes the last lines out of a stream of output whose length is not known before its end. Kept is at most as much as may be
 * answered; where more lines come than were asked for, a second pass leaves the first ones out.
 */
import { wholeCharacters, type Piece, type StreamName } from '../../engine/streams.ts';

/** Bytes of one answer. */
export const MAX_OUTPUT = 1024 * 1024;

const NEWLINE = 0x0a;

export interface Taken {
  /** Lines of the wanted streams that came in all, those beyond the kept bytes and an unfinished last one too. */
  readonly seen: number;
  /** Frames of any stream: what the engine counts as lines. 0 for output without frames. */
  readonly frames: number;
  readonly bytes: Buffer;
  /** True when the bytes were cut. */
  readonly truncated: boolean;
}

/** Reads to the end. Leaves out the first `skip` lines and keeps at most `take` lines and MAX_OUTPUT bytes after them. */
export async function takeLines(
  pieces: AsyncIterable<Piece>,
  wanted: ReadonlySet<StreamName>,
  { skip, take }: { skip: number; take: number },
): Promise<Taken> {
  const kept: Buffer[] = [];
  let room = MAX_OUTPUT;
  let ended = 0;
  let open = false;
  let truncated = false;
  let frames = 0;
  for await (const { stream, bytes, begins } of pieces) {
    if (begins) frames += 1;
    if (!wanted.has(stream) || bytes.length === 0) continue;
    const from = afterLines(bytes, skip - ended);
    const to = afterLines(bytes, skip + take - ended);
    ended += newlines(bytes);
    open = bytes[bytes.length - 1] !== NEWLINE;
    const part = bytes.subarray(from, to);
    // A copy: the piece is part of a larger buffer that would stay in memory with it.
    if (part.length > 0 && room > 0) kept.push(Buffer.from(part.subarray(0, room)));
    truncated ||= part.length > room;
    room = Math.max(0, room - part.length);
  }
  const whole = Buffer.concat(kept);
  return { seen: ended + (open ? 1 : 0), frames, bytes: truncated ? wholeCharacters(whole) : whole, truncated };
}

/** Where the bytes go on after so many lines; their end when there are fewer. */
function afterLines(bytes: Buffer, lines: number): number {
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
