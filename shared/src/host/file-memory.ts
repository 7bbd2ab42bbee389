/**
 * What was made of files that rarely change, kept while they are the same files with the same content. For operations in worker
 * threads: the memory is the thread's and goes with it when it has had nothing to do for a while. Reads; trusts no path, only what
 * fstat(2) says of the file that it opened.
 */
import { closeSync, fstatSync, openSync, type BigIntStats } from 'node:fs';

/**
 * Milliseconds for which a file must have been left alone before it was read. Clocks of file systems may stand still for as long as two
 * seconds (vfat), and what is written in the same tick leaves the times as they are.
 */
const SETTLED_MS = 3000;

export interface FileMemoryOptions<Value> {
  /** What a value weighs, in any unit. */
  readonly weigh: (value: Value) => number;
  /** What all values may weigh together; beyond that the memory begins anew. */
  readonly most: number;
  /** Milliseconds since 1970; default the host's clock. */
  readonly now?: () => number;
}

interface Remembered<Value> {
  readonly identity: string;
  readonly value: Value;
}

/**
 * Never says what a file said before. A change of the content, in place or by another file under the same name, shows in the device,
 * the inode number, the size or one of the times: whatever is written after a reading carries a later time than a file that had been
 * left alone for longer than a tick of the clock when it was read. Others are not remembered.
 */
export class FileMemory<Value> {
  readonly #options: FileMemoryOptions<Value>;
  readonly #known = new Map<string, Remembered<Value>>();
  #weight = 0;

  constructor(options: FileMemoryOptions<Value>) {
    this.#options = options;
  }

  /**
   * The value of the file that is there now; `parse` makes it of the file opened at its beginning, and must make the same of the same
   * content. Throws the system error when the file cannot be opened, and what `parse` throws.
   */
  read(path: string, parse: (fd: number) => Value): Value {
    const fd = openSync(path, 'r');
    try {
      const now = (this.#options.now ?? Date.now)();
      const stat = fstatSync(fd, { bigint: true });
      const identity = identityOf(stat);
      const known = this.#known.get(path);
      if (known?.identity === identity) return known.value;
      this.#forget(path);
      const value = parse(fd);
      if (isSettled(stat, now)) this.#remember(path, { identity, value });
      return value;
    } finally {
      closeSync(fd);
    }
  }

  #remember(path: string, remembered: Remembered<Value>): void {
    const weight = this.#options.weigh(remembered.value);
    if (weight > this.#options.most) return;
    if (this.#weight + weight > this.#options.most) {
      this.#known.clear();
      this.#weight = 0;
    }
    this.#known.set(path, remembered);
    this.#weight += weight;
  }

  #forget(path: string): void {
    const known = this.#known.get(path);
    if (known === undefined) return;
    this.#known.delete(path);
    this.#weight -= this.#options.weigh(known.value);
  }
}

function identityOf({ dev, ino, size, mtimeNs, ctimeNs }: BigIntStats): string {
  return [dev, ino, size, mtimeNs, ctimeNs].join();
}

/** A time to come says nothing. */
function isSettled({ mtimeMs, ctimeMs }: BigIntStats, now: number): boolean {
  return now - Math.max(Number(mtimeMs), Number(ctimeMs)) >= SETTLED_MS;
}
