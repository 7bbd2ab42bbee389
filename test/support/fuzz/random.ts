/**
 * Random choices that can be repeated: the same seed gives the same choices on every machine. Not for secrets.
 */

export class Random {
  #state: number;

  /** Every pair of numbers begins a sequence of its own. */
  constructor(seed: number, input = 0) {
    this.#state = (Math.imul(seed | 0, 0x9e3779b1) ^ Math.imul(input + 1, 0x85ebca77)) >>> 0;
  }

  /** 32 bits; mulberry32 (Tommy Ettinger, public domain). */
  bits(): number {
    this.#state = (this.#state + 0x6d2b79f5) >>> 0;
    let mixed = Math.imul(this.#state ^ (this.#state >>> 15), this.#state | 1);
    mixed ^= mixed + Math.imul(mixed ^ (mixed >>> 7), mixed | 61);
    return (mixed ^ (mixed >>> 14)) >>> 0;
  }

  /** 0 to `end` - 1. */
  below(end: number): number {
    return Math.floor((this.bits() / 2 ** 32) * end);
  }

  /** True once in `of` times. */
  once(of: number): boolean {
    return this.below(of) === 0;
  }

  /** One of a list that is not empty. */
  pick<T>(list: readonly T[]): T {
    const chosen = list[this.below(list.length)];
    if (chosen === undefined && list.length === 0) throw new Error('nothing to choose from');
    return chosen as T;
  }

  /** Some of a list, in its order. */
  some<T>(list: readonly T[]): T[] {
    return list.filter(() => this.once(2));
  }

  bytes(length: number): Buffer {
    const bytes = Buffer.alloc(length);
    for (let at = 0; at < length; at += 1) bytes[at] = this.bits();
    return bytes;
  }
}
