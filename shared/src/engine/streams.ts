/**
 * Output of containers. Without a terminal the engine sends stdout and stderr in one stream of frames: a byte that says which, three
 * of zero, four of length (big-endian), then the content. Pieces are handed on as they come; nothing waits for a frame's end.
 */
import { StewardError } from '../errors.ts';

export type StreamName = 'stdout' | 'stderr';

export interface Piece {
  readonly stream: StreamName;
  readonly bytes: Buffer;
  /** True for the first piece of a frame: one thing that was written. */
  readonly begins: boolean;
}

const HEADER = 8;

/** The pieces of a framed stream. Rejects with `docker_broken` for a header that is none. */
export async function* demultiplexed(body: AsyncIterable<Buffer>): AsyncGenerator<Piece> {
  const header = Buffer.alloc(HEADER);
  let filled = 0;
  let left = 0;
  for await (const chunk of body) {
    for (let at = 0; at < chunk.length;) {
      if (left === 0) {
        const taken = chunk.copy(header, filled, at, Math.min(chunk.length, at + HEADER - filled));
        filled += taken;
        at += taken;
        if (filled < HEADER) continue;
        left = header.readUInt32BE(4);
        filled = 0;
        streamOf(header);
        continue;
      }
      const bytes = chunk.subarray(at, at + left);
      const begins = left === header.readUInt32BE(4);
      left -= bytes.length;
      at += bytes.length;
      yield { stream: streamOf(header), bytes, begins };
    }
  }
}

function streamOf(header: Buffer): StreamName {
  const kind = header[0] ?? 255;
  // 0 is stdin, which the engine writes to stdout.
  if (kind > 2 || header[1] !== 0) throw new StewardError('docker_broken', { reason: 'its stream has no frames' });
  return kind === 2 ? 'stderr' : 'stdout';
}

/** A stream without frames: with a terminal there is only stdout. */
export async function* plain(body: AsyncIterable<Buffer>): AsyncGenerator<Piece> {
  for await (const bytes of body) yield { stream: 'stdout', bytes, begins: false };
}

/** Cuts bytes so that no UTF-8 character is split at the end. */
export function wholeCharacters(bytes: Buffer): Buffer {
  // The first byte of the last character is at most three bytes before the end.
  for (let back = 1; back <= Math.min(4, bytes.length); back += 1) {
    const byte = bytes[bytes.length - back] ?? 0;
    if (byte < 0x80) return bytes;
    if (byte < 0xc0) continue;
    const needed = byte >= 0xf0 ? 4 : byte >= 0xe0 ? 3 : 2;
    return back < needed ? bytes.subarray(0, bytes.length - back) : bytes;
  }
  return bytes;
}
