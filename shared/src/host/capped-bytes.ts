/** Output of a program that is kept up to a limit: memory does not grow with what somebody else prints. */

export class CappedBytes {
  readonly #limit: number;
  readonly #keepEnd: boolean;
  #pieces: Buffer[] = [];
  /** Bytes in `#pieces`. */
  #held = 0;
  #over = false;

  /** Keeps the first `limit` bytes, or the last ones with `keepEnd`. */
  constructor(limit: number, keepEnd = false) {
    this.#limit = limit;
    this.#keepEnd = keepEnd;
  }

  /** Takes a piece; true once, when there is for the first time more than the limit. */
  add(piece: Buffer): boolean {
    const over = this.#held + piece.length > this.#limit;
    const taken = this.#keepEnd ? piece : piece.subarray(0, this.#limit - this.#held);
    if (taken.length > 0) this.#pieces.push(taken);
    this.#held += taken.length;
    while (this.#held - (this.#pieces[0]?.length ?? 0) >= this.#limit && this.#pieces.length > 1) {
      this.#held -= this.#pieces.shift()?.length ?? 0;
    }
    const first = over && !this.#over;
    this.#over ||= over;
    return first;
  }

  /** True when there was more than is kept. */
  get truncated(): boolean {
    return this.#over;
  }

  get bytes(): Buffer {
    const all = Buffer.concat(this.#pieces);
    return all.subarray(Math.max(0, all.length - this.#limit));
  }
}
