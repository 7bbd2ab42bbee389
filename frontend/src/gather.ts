/**
 * Fewer, larger writes: what comes within one turn of the event loop goes out at once, which under load is many lines for one
 * system call, or many answers in one TLS record.
 */

/** Where text goes. */
export interface Destination {
  write(text: string): void;
}

/** What is gathered before it goes out although the turn is not over, in UTF-16 units. */
const ENOUGH = 16 * 1024;

/** `flush` writes what is held now. */
export function gather(to: Destination): Destination & { flush(): void } {
  let held = '';
  const flush = (): void => {
    const text = held;
    held = '';
    if (text !== '') to.write(text);
  };
  const write = (text: string): void => {
    if (held === '') setImmediate(flush);
    held += text;
    if (held.length >= ENOUGH) flush();
  };
  return { write, flush };
}
