/** Long listings say the same few things again and again: what a pure function made of a value is kept for the next time. */

/** Values remembered at most; then it begins anew, so that memory does not grow with the listing. */
const MOST = 4096;

/** The function with a memory; results must not be changed by whoever gets them. */
export function remembering<Key, Value>(make: (key: Key) => Value): (key: Key) => Value {
  const known = new Map<Key, Value>();
  return (key) => {
    const before = known.get(key);
    if (before !== undefined) return before;
    if (known.size >= MOST) known.clear();
    const made = make(key);
    known.set(key, made);
    return made;
  };
}
