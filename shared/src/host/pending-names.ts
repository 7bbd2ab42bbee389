/** Names of directories that a walk has yet to enter: an array, or for very many of them sorted runs in a temporary file. */
import { Sorter, type SortBudget } from './sorting.ts';

/** Names of one directory kept in an array. */
const FEW = 16_384;

export class PendingNames {
  readonly #budget: SortBudget;
  #few: string[] = [];
  #many: Sorter | undefined;
  #source: Iterator<string> | undefined;

  /** `budget` is shared by all that are alive at the same time. */
  constructor(budget: SortBudget) {
    this.#budget = budget;
  }

  /** Whether none was added. */
  get isEmpty(): boolean {
    return this.#few.length === 0 && this.#many === undefined;
  }

  /** Byte string of at most 65535 bytes. Only before the first `next`. */
  add(name: string): void {
    if (this.#many !== undefined) this.#many.add(name);
    else if (this.#few.push(name) > FEW) this.#spill();
  }

  /** Each name once, in no order; undefined when there are no more. */
  next(): string | undefined {
    if (this.#many === undefined) return this.#few.pop();
    this.#source ??= this.#many.drain();
    const next = this.#source.next();
    return next.done === true ? undefined : next.value;
  }

  /** Gives memory and file back; safe to call twice. */
  close(): void {
    this.#few = [];
    this.#many?.close();
  }

  #spill(): void {
    this.#many = new Sorter({ budget: this.#budget });
    for (const name of this.#few) this.#many.add(name);
    this.#few = [];
  }
}
