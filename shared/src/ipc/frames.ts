/**
 * Bytes to frames and back. Trusted with never holding more than one frame (at most 1 MiB and a header), with judging every
 * length before memory is taken for it, and with doing a constant amount of work per byte however the bytes arrive.
 *
 * Frame: u32 big-endian length of what follows, u8 kind, payload. The layout of the payloads is in messages.ts.
 */
import { JsonError, parseJson } from './json.ts';
import { MAX_CHUNK_BYTES, MAX_ID, MAX_JSON_BYTES } from './messages.ts';

export const KIND_JSON = 0;
export const KIND_CHUNK = 1;
export const KIND_CREDIT = 2;

const LENGTH_BYTES = 4;
const KIND_BYTES = 1;
const HEADER_BYTES = LENGTH_BYTES + KIND_BYTES;
const ID_BYTES = 4;

/** One frame. The bytes of a chunk are only good until the next `push`, unless they are copied. */
export type Frame =
  | { readonly kind: 'json'; readonly value: unknown }
  | { readonly kind: 'chunk'; readonly id: number; readonly bytes: Buffer }
  | { readonly kind: 'credit'; readonly id: number; readonly bytes: number };

/** The other side broke the protocol. The connection cannot be used any more. */
export class ProtocolError extends Error {
  override readonly name = 'ProtocolError';
  /** Id of the request that the breach was part of, where there is one. */
  readonly request: string | undefined;

  constructor(message: string, request?: string) {
    super(message);
    this.request = request;
  }

  /** The same breach, as part of a request. */
  during(request: string): ProtocolError {
    return new ProtocolError(this.message, this.request ?? request);
  }
}

/** Least and greatest payload by kind, in bytes. */
const PAYLOAD: Readonly<Record<number, readonly [number, number]>> = {
  [KIND_JSON]: [1, MAX_JSON_BYTES],
  [KIND_CHUNK]: [ID_BYTES + 1, ID_BYTES + MAX_CHUNK_BYTES],
  [KIND_CREDIT]: [ID_BYTES + 4, ID_BYTES + 4],
};

/** Turns a byte stream into frames. After a ProtocolError it must not be used again. */
export class FrameDecoder {
  #headerFilled = 0;
  /** What the header says, as far as it is there. */
  #length = 0;
  #kind = 0;
  #payload: Buffer | undefined;
  #payloadFilled = 0;

  /** True when a frame has begun and is not complete. */
  get partial(): boolean {
    return this.#headerFilled > 0;
  }

  /**
   * Takes bytes and hands over the frames that they complete, one by one. Throws ProtocolError at the first thing that is wrong; what
   * came before it has been handed over.
   */
  push(data: Buffer, deliver: (frame: Frame) => void): void {
    let at = 0;
    while (at < data.length) {
      if (this.#headerFilled < HEADER_BYTES) {
        at += this.#takeHeader(data, at);
        continue;
      }
      const size = this.#length - KIND_BYTES;
      if (this.#payload === undefined && data.length - at >= size) {
        at += size;
        deliver(this.#complete(data.subarray(at - size, at)));
        continue;
      }
      this.#payload ??= Buffer.allocUnsafeSlow(size);
      const copied = data.copy(this.#payload, this.#payloadFilled, at, at + size - this.#payloadFilled);
      this.#payloadFilled += copied;
      at += copied;
      if (this.#payloadFilled === size) deliver(this.#complete(this.#payload));
    }
  }

  /** Takes a header that is there whole, as almost every one is, or one byte of it. Returns how many bytes it was. */
  #takeHeader(data: Buffer, at: number): number {
    if (this.#headerFilled > 0 || data.length - at < HEADER_BYTES) {
      this.#takeHeaderByte(data[at] ?? 0);
      return 1;
    }
    this.#length = data.readUInt32BE(at);
    this.#kind = data[at + LENGTH_BYTES] ?? 0;
    judgeLength(this.#length);
    judgeKind(this.#kind, this.#length);
    this.#headerFilled = HEADER_BYTES;
    return HEADER_BYTES;
  }

  /** Judges the length as soon as it is known, and length and kind together one byte later. */
  #takeHeaderByte(byte: number): void {
    this.#headerFilled += 1;
    if (this.#headerFilled === HEADER_BYTES) {
      this.#kind = byte;
      judgeKind(byte, this.#length);
      return;
    }
    this.#length = this.#length * 256 + byte;
    if (this.#headerFilled === LENGTH_BYTES) judgeLength(this.#length);
  }

  #complete(payload: Buffer): Frame {
    this.#headerFilled = 0;
    this.#length = 0;
    this.#payload = undefined;
    this.#payloadFilled = 0;
    return decode(this.#kind, payload);
  }
}

function judgeLength(length: number): void {
  if (length < KIND_BYTES + 1 || length > KIND_BYTES + MAX_JSON_BYTES) throw new ProtocolError(`frame length ${length}`);
}

function judgeKind(kind: number, length: number): void {
  const bounds = PAYLOAD[kind];
  if (bounds === undefined) throw new ProtocolError(`frame kind ${kind}`);
  const size = length - KIND_BYTES;
  if (size < bounds[0] || size > bounds[1]) throw new ProtocolError(`frame kind ${kind} of ${size} bytes`);
}

function decode(kind: number, payload: Buffer): Frame {
  if (kind === KIND_JSON) return { kind: 'json', value: jsonOf(payload) };
  const id = payload.readUInt32BE(0);
  if (id === 0 || id > MAX_ID) throw new ProtocolError(`call id ${id}`);
  if (kind === KIND_CHUNK) return { kind: 'chunk', id, bytes: payload.subarray(ID_BYTES) };
  return { kind: 'credit', id, bytes: payload.readUInt32BE(ID_BYTES) };
}

function jsonOf(payload: Buffer): unknown {
  try {
    return parseJson(payload);
  } catch (error) {
    if (error instanceof JsonError) throw new ProtocolError(error.message);
    throw error;
  }
}

/** Where the header of a JSON frame goes: text, because bytes that are made of one text are made in one step. */
const PLACE_FOR_HEADER = '\0'.repeat(HEADER_BYTES);

/** Writes a number, big-endian: for an interpreter that is less than what Buffer's own function checks. */
function putUint32(bytes: Buffer, value: number, at: number): void {
  bytes[at] = value >>> 24;
  bytes[at + 1] = value >>> 16;
  bytes[at + 2] = value >>> 8;
  bytes[at + 3] = value;
}

/** A frame up to `begun` bytes of its payload, which are still to be written, behind `HEADER_BYTES`. */
function frameOf(kind: number, payloadBytes: number, begun: number = payloadBytes): Buffer {
  const bytes = Buffer.allocUnsafe(HEADER_BYTES + begun);
  putUint32(bytes, KIND_BYTES + payloadBytes, 0);
  bytes[LENGTH_BYTES] = kind;
  return bytes;
}

/** A JSON frame, or undefined when the value is larger than a frame may be. */
export function encodeJson(value: unknown): Buffer | undefined {
  const frame = Buffer.from(PLACE_FOR_HEADER + JSON.stringify(value));
  const size = frame.length - HEADER_BYTES;
  if (size > MAX_JSON_BYTES) return undefined;
  putUint32(frame, KIND_BYTES + size, 0);
  frame[LENGTH_BYTES] = KIND_JSON;
  return frame;
}

/** What goes before `size` bytes of content (1 to MAX_CHUNK_BYTES). */
export function encodeChunkHeader(id: number, size: number): Buffer {
  const bytes = frameOf(KIND_CHUNK, ID_BYTES + size, ID_BYTES);
  putUint32(bytes, id, HEADER_BYTES);
  return bytes;
}

/** A copy of content (1 to MAX_CHUNK_BYTES) as a frame. */
export function encodeChunk(id: number, content: Uint8Array): Buffer {
  const frame = frameOf(KIND_CHUNK, ID_BYTES + content.length);
  putUint32(frame, id, HEADER_BYTES);
  frame.set(content, HEADER_BYTES + ID_BYTES);
  return frame;
}

/** Grants `bytes` more of chunks for a call. */
export function encodeCredit(id: number, bytes: number): Buffer {
  const frame = frameOf(KIND_CREDIT, ID_BYTES + 4);
  putUint32(frame, id, HEADER_BYTES);
  putUint32(frame, bytes, HEADER_BYTES + ID_BYTES);
  return frame;
}
