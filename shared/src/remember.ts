/** Long listings say the same few things again and again: what a pure function made of a value is kept for the next time. */

/** Values remembered at most; then it begins anew, so that memory does not grow with the listing. */
const MOST = 4096;

/** The function with a memory; results must not be changed by whoever gets them. */
export function remembering<Key, Value>(make: (key: Key) => Value): (key: Key) => Value {
  const known = new Map<Key, Value>();
  let lastKey: Key | undefined;
  let last: Value | undefined;
  return (key) => {
    // mostly one record says what the one before it said
    if (key === lastKey && last !== undefined) return last;
    let value = known.get(key);
    if (value === undefined) {
      value = make(key);
      if (known.size >= MOST) known.clear();
      known.set(key, value);
    }
    lastKey = key;
    last = value;
    return value;
  };
}
