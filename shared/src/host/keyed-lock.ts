/** One after the other for each key: work on the same thing never overlaps within this process. */
export class KeyedLock {
  readonly #last = new Map<string, Promise<void>>();

  /** Runs `work` when everything that was asked for under this key before has ended. */
  async run<T>(key: string, work: () => Promise<T>): Promise<T> {
    const before = this.#last.get(key);
    const over = Promise.withResolvers<undefined>();
    this.#last.set(key, over.promise);
    try {
      await before;
      return await work();
    } finally {
      if (this.#last.get(key) === over.promise) this.#last.delete(key);
      over.resolve(undefined);
    }
  }
}
