/**
 * Judges a JSON text by its bytes while they arrive: how deep it nests and how many values it holds, before any parser takes
 * memory for them (sixteen megabytes of brackets would become a gigabyte of arrays). Exact for valid JSON; for anything else
 * the parser has the last word.
 */

/** Nesting of arrays and objects that a message may have. */
export const MAX_DEPTH = 64;
/** Arrays, objects and separators in one message; real ones have some dozens, and more would hold up the event loop when parsed. */
export const MAX_VALUES = 20_000;

const QUOTE = 0x22;
const BACKSLASH = 0x5c;

export class JsonGauge {
  #depth = 0;
  #values = 0;
  #inString = false;
  /** The last byte of the previous piece was a backslash that escapes what follows. */
  #escaped = false;
  #tooMuch = false;

  /** True when the text so far is deeper or larger than a message may be. */
  get tooMuch(): boolean {
    return this.#tooMuch;
  }

  push(bytes: Uint8Array): void {
    let at = 0;
    while (at < bytes.length && !this.#tooMuch) {
      at = this.#inString ? this.#skipString(bytes, at) : this.#readStructure(bytes, at);
    }
  }

  /** Moves past the end of the string, or to the end of the piece. Finding quotes is native work; backslashes are rare. */
  #skipString(bytes: Uint8Array, from: number): number {
    const start = this.#escaped ? from + 1 : from;
    this.#escaped = false;
    for (let quote = bytes.indexOf(QUOTE, start); quote !== -1; quote = bytes.indexOf(QUOTE, quote + 1)) {
      if (backslashesBefore(bytes, quote, start) % 2 === 1) continue;
      this.#inString = false;
      return quote + 1;
    }
    this.#escaped = backslashesBefore(bytes, bytes.length, start) % 2 === 1;
    return bytes.length;
  }

  #readStructure(bytes: Uint8Array, from: number): number {
    for (let at = from; at < bytes.length; at += 1) {
      const byte = bytes[at];
      if (byte === QUOTE) {
        this.#inString = true;
        return at + 1;
      }
      if (byte === 0x5b || byte === 0x7b) this.#open();
      else if (byte === 0x5d || byte === 0x7d) this.#depth -= 1;
      else if (byte === 0x2c) this.#count();
    }
    return bytes.length;
  }

  #open(): void {
    this.#depth += 1;
    this.#count();
    if (this.#depth > MAX_DEPTH) this.#tooMuch = true;
  }

  #count(): void {
    this.#values += 1;
    if (this.#values > MAX_VALUES) this.#tooMuch = true;
  }
}

function backslashesBefore(bytes: Uint8Array, end: number, start: number): number {
  let count = 0;
  while (end - 1 - count >= start && bytes[end - 1 - count] === BACKSLASH) count += 1;
  return count;
}
