/** Sends selected content up to a cap, cutting between characters, and hashes what was sent. */
import { createHash, type Hash } from 'node:crypto';

/** The longest UTF-8 character has four bytes, so at most three may be waiting for their end. */
const HELD_BACK = 3;
/** What is smaller is held until more comes or nothing does, so that a small file goes out in one piece. */
const SMALL = 16 * 1024;

export class CappedOutput {
  readonly #write: (bytes: Uint8Array) => Promise<void>;
  readonly #cap: number;
  readonly #hash: Hash = createHash('sha256');
  /** The last bytes taken, a copy; whether they may go out depends on what follows. */
  #held: Buffer = Buffer.alloc(0);
  #taken = 0;
  #sent = 0;
  #cut = false;

  constructor(write: (bytes: Uint8Array) => Promise<void>, cap: number) {
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
    const all = Buffer.concat([this.#held, bytes.subarray(0, Math.min(room, bytes.length))]);
    this.#taken += all.length - this.#held.length;
    if (bytes.length > room) {
      this.#cut = true;
      this.#held = Buffer.alloc(0);
      await this.#send(all.subarray(0, wholeCharacters(all)));
      return false;
    }
    const ready = all.length < SMALL ? 0 : all.length - HELD_BACK;
    this.#held = all.subarray(ready);
    await this.#send(all.subarray(0, ready));
    return true;
  }

  /** Sends what was held back. Returns the SHA-256 of everything sent, lower-case hex. */
  async finish(): Promise<string> {
    await this.#send(this.#held);
    this.#held = Buffer.alloc(0);
    return this.#hash.digest('hex');
  }

  async #send(bytes: Buffer): Promise<void> {
    if (bytes.length === 0) return;
    this.#sent += bytes.length;
    this.#hash.update(bytes);
    await this.#write(bytes);
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
