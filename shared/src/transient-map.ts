/**
 * A map for what comes and goes all the time, such as the calls under way. A Map that lives long keeps more than is in it: whenever its
 * table is replaced, the old one goes on pointing to the new one (V8 does so for the sake of iterators), and once one table has become
 * old for the garbage collector, every later one stays with all that it held until the whole heap is collected. A new Map has a new
 * chain of tables, so that is what the entries move to now and then.
 */

/** Entries taken out before the rest moves. */
const MOVE_AFTER = 64;

export class TransientMap<Key, Value> {
  #map = new Map<Key, Value>();
  #deleted = 0;

  get size(): number {
    return this.#map.size;
  }

  has(key: Key): boolean {
    return this.#map.has(key);
  }

  get(key: Key): Value | undefined {
    return this.#map.get(key);
  }

  /** What is set while somebody iterates may be left out of that iteration. */
  set(key: Key, value: Value): void {
    if (this.#deleted >= MOVE_AFTER) this.#move();
    this.#map.set(key, value);
  }

  /** False when there was nothing. Safe while somebody iterates. */
  delete(key: Key): boolean {
    if (!this.#map.delete(key)) return false;
    this.#deleted += 1;
    return true;
  }

  keys(): IterableIterator<Key> {
    return this.#map.keys();
  }

  /** In the order in which they were set. */
  values(): IterableIterator<Value> {
    return this.#map.values();
  }

  [Symbol.iterator](): IterableIterator<[Key, Value]> {
    return this.#map[Symbol.iterator]();
  }

  #move(): void {
    this.#map = new Map(this.#map);
    this.#deleted = 0;
  }
}
