/**
 * Remembers files by device and inode number, for trees with millions of hard links: 20 to 40 bytes a file in typed arrays, where a
 * Set of strings would take a hundred. Pure.
 */

/** Slots of an empty set; always a power of two. */
const FIRST_SLOTS = 1024;
/** The set grows when it is this full. */
const MAX_LOAD = 0.6;
const LOW = 2 ** 32;

/** An open-addressing table with linear probing; a slot whose device is 0 is free. */
export class InodeSet {
  #devices = new Uint32Array(FIRST_SLOTS);
  #high = new Uint32Array(FIRST_SLOTS);
  #low = new Uint32Array(FIRST_SLOTS);
  #size = 0;
  /** Devices are few: they are numbered from 1 as they come. */
  readonly #numbers = new Map<bigint, number>();

  get size(): number {
    return this.#size;
  }

  /** True when the file was not there before. */
  add(device: bigint, inode: bigint): boolean {
    if (this.#size >= this.#devices.length * MAX_LOAD) this.#grow();
    let number = this.#numbers.get(device);
    if (number === undefined) this.#numbers.set(device, (number = this.#numbers.size + 1));
    if (!this.#put(number, Number(inode / BigInt(LOW)), Number(inode % BigInt(LOW)))) return false;
    this.#size++;
    return true;
  }

  #put(device: number, high: number, low: number): boolean {
    const mask = this.#devices.length - 1;
    for (let slot = hash(device, high, low) & mask; ; slot = (slot + 1) & mask) {
      if (this.#devices[slot] === 0) {
        this.#devices[slot] = device;
        this.#high[slot] = high;
        this.#low[slot] = low;
        return true;
      }
      if (this.#low[slot] === low && this.#high[slot] === high && this.#devices[slot] === device) return false;
    }
  }

  #grow(): void {
    const [devices, high, low] = [this.#devices, this.#high, this.#low];
    const slots = devices.length * 2;
    this.#devices = new Uint32Array(slots);
    this.#high = new Uint32Array(slots);
    this.#low = new Uint32Array(slots);
    for (let slot = 0; slot < devices.length; slot++) {
      const device = devices[slot] ?? 0;
      if (device !== 0) this.#put(device, high[slot] ?? 0, low[slot] ?? 0);
    }
  }
}

/** Inode numbers often follow each other: the multiplications spread them (the finalizer of MurmurHash3). */
function hash(device: number, high: number, low: number): number {
  let value = low ^ Math.imul(high, 0x9e3779b1) ^ Math.imul(device, 0x85ebca6b);
  value = Math.imul(value ^ (value >>> 16), 0x85ebca6b);
  value = Math.imul(value ^ (value >>> 13), 0xc2b2ae35);
  return value ^ (value >>> 16);
}
