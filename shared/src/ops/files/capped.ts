/** Sends selected content up to a cap, cutting between characters, and hashes what was sent. */
import { createHash, hash, type Hash } from 'node:crypto';

/** The longest UTF-8 character has four bytes, so at most three may be waiting for their end. */
const HELD_BACK = 3;
const EMPTY = Buffer.alloc(0);
/** What is smaller is held until more comes or nothing does, so that a small file goes out in one piece. */
const SMALL = 16 * 1024;

export class CappedOutput {
  readonly #write: (bytes: Uint8Array, last: boolean) => Promise<void>;
  readonly #cap: number;
  /** Of what has been sent; absent while nothing has, because all in one is hashed with less. */
  #hash: Hash | undefined;
  /** What was taken and not sent, a copy: little so far, or a character that goes out only with its end. */
  #held: Buffer = EMPTY;
  #taken = 0;
  #sent = 0;
  #cut = false;

  /** `write` is told what is the last. */
  constructor(write: (bytes: Uint8Array, last: boolean) => Promise<void>, cap: number) {
    this.#write = write;
    this.#cap = cap;
  }

  /** Bytes sent so far. */
  get sent(): number {
    return this.#sent;
  }

  /** True when there was more than the cap lets through. */
  get cut(): boolean {
    return this.#cut;
  }

  /** Takes content; false when no more is wanted. */
  async add(bytes: Buffer): Promise<boolean> {
    if (this.#cut || bytes.length === 0) return !this.#cut;
    const room = this.#cap - this.#taken;
    const wanted = bytes.subarray(0, Math.min(room, bytes.length));
    const all = this.#held.length === 0 ? wanted : Buffer.concat([this.#held, wanted]);
    this.#taken += wanted.length;
    this.#cut = bytes.length > room;
    const ready = all.length < SMALL && !this.#cut ? 0 : wholeCharacters(all);
    this.#held = this.#cut ? EMPTY : Buffer.from(all.subarray(ready));
    if (ready > 0) await this.#send(all.subarray(0, ready));
    return !this.#cut;
  }

  /** Sends what was held back. Returns the SHA-256 of everything sent, lower-case hex. */
  async finish(): Promise<string> {
    const rest = this.#held;
    this.#held = EMPTY;
    const sha256 = this.#hash === undefined ? hash('sha256', rest, 'hex') : this.#hash.update(rest).digest('hex');
    if (rest.length > 0) await this.#deliver(rest, true);
    return sha256;
  }

  async #send(bytes: Buffer): Promise<void> {
    this.#hash ??= createHash('sha256');
    this.#hash.update(bytes);
    await this.#deliver(bytes, false);
  }

  #deliver(bytes: Buffer, last: boolean): Promise<void> {
    this.#sent += bytes.length;
    return this.#write(bytes, last);
  }
}

/** Length without a character that is cut off at the end; bytes that are no UTF-8 are left alone. */
export function wholeCharacters(bytes: Buffer): number {
  for (let back = 1; back <= Math.min(HELD_BACK, bytes.length); back++) {
    const byte = bytes[bytes.length - back] ?? 0;
    if ((byte & 0xc0) === 0x80) continue; // inside a character: its first byte is further back
    const length = byte >= 0xf0 && byte <= 0xf4 ? 4 : byte >= 0xe0 && byte < 0xf0 ? 3 : byte >= 0xc2 && byte < 0xe0 ? 2 : 1;
    return length > back ? bytes.length - back : bytes.length;
  }
  return bytes.length;
}
