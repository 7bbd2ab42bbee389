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
  const bytes = Buffer.concat(chunks, size).subarray(0, max);
  const truncated = size > max;
  const text = decoded(bytes) ?? (truncated ? decoded(wholeCharacters(bytes)) : undefined);
  if (text !== undefined) return { text, truncated };
  return { text: new TextDecoder('utf-8', { ignoreBOM: true }).decode(bytes), base64: bytes.toString('base64'), truncated };
}

/** The text that the bytes are, or undefined when they are not valid UTF-8. */
function decoded(bytes: Buffer): string | undefined {
  try {
    return new TextDecoder('utf-8', { fatal: true, ignoreBOM: true }).decode(bytes);
  } catch {
    return undefined;
  }
}

/** Without a UTF-8 character that the cut split: at most its first three bytes are taken away (RFC 3629). */
function wholeCharacters(bytes: Buffer): Buffer {
  for (let back = 1; back <= Math.min(3, bytes.length); back += 1) {
    const byte = bytes[bytes.length - back] ?? 0;
    if (byte >= 0xc2 && byte <= 0xf4) return bytes.subarray(0, bytes.length - back);
    if (byte < 0x80 || byte > 0xbf) return bytes;
  }
  return bytes;
}
