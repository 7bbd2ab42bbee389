/** The body of an answer: at most so many bytes of it, as text. */
import type { IncomingMessage } from 'node:http';

export interface Body {
  /** Invalid UTF-8 as U+FFFD. */
  readonly text: string;
  /** The bytes, when they are not valid UTF-8. */
  readonly base64?: string;
  readonly truncated: boolean;
}

/** Reads at most `max` bytes and no further. Rejects with the raw error of a connection that ends too early. */
export async function readBody(response: IncomingMessage, max: number): Promise<Body> {
  const chunks: Buffer[] = [];
  let size = 0;
  for await (const chunk of response as AsyncIterable<Buffer>) {
    chunks.push(chunk);
    size += chunk.length;
    if (size > max) break;
  }
  const truncated = size > max;
  const whole = Buffer.concat(chunks, size).subarray(0, max);
  return bodyOf(truncated ? wholeCharacters(whole) : whole, truncated);
}

function bodyOf(bytes: Buffer, truncated: boolean): Body {
  try {
    return { text: new TextDecoder('utf-8', { fatal: true, ignoreBOM: true }).decode(bytes), truncated };
  } catch {
    return { text: new TextDecoder('utf-8', { ignoreBOM: true }).decode(bytes), base64: bytes.toString('base64'), truncated };
  }
}

/** Without a UTF-8 character that the cut split: at most its first three bytes are taken away (RFC 3629). */
function wholeCharacters(bytes: Buffer): Buffer {
  for (let back = 1; back <= Math.min(3, bytes.length); back += 1) {
    const byte = bytes[bytes.length - back] ?? 0;
    if (byte < 0x80) return bytes;
    if (byte < 0xc0) continue;
    const needs = byte >= 0xf0 ? 4 : byte >= 0xe0 ? 3 : 2;
    return needs > back ? bytes.subarray(0, bytes.length - back) : bytes;
  }
  return bytes;
}
