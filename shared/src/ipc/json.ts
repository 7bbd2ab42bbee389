/**
 * JSON from the other side of the socket: bytes to a value, with everything refused that later code should not have to think
 * about. Trusted with one thing: nothing it lets through is malformed text or nested deeper than MAX_DEPTH.
 */

/** Nesting of arrays and objects that a message may have. */
export const MAX_DEPTH = 64;

/** Text that is not what it should be; the reason is for the log of the side that found it. */
export class JsonError extends Error {}

const QUOTE = 0x22;
const BACKSLASH = 0x5c;
const decoder = new TextDecoder('utf-8', { fatal: true, ignoreBOM: true });

/**
 * Parses one JSON document. Throws JsonError for invalid UTF-8, a byte order mark, anything that is not JSON, and nesting beyond
 * MAX_DEPTH, which is judged on the bytes before the parser sees them.
 */
export function parseJson(bytes: Uint8Array): unknown {
  let text: string;
  try {
    text = decoder.decode(bytes);
  } catch {
    throw new JsonError('invalid UTF-8');
  }
  if (opensMoreThan(text, MAX_DEPTH) && isTooDeep(bytes)) throw new JsonError(`JSON nested deeper than ${MAX_DEPTH}`);
  try {
    return JSON.parse(text) as unknown;
  } catch {
    throw new JsonError('invalid JSON');
  }
}

/**
 * Whether a text has more opening brackets than that, wherever they stand. Most messages have a few: they cannot be nested too deeply,
 * and need not be looked at byte by byte.
 */
export function opensMoreThan(text: string, most: number): boolean {
  let count = 0;
  for (let at = text.indexOf('{'); at !== -1 && count <= most; at = text.indexOf('{', at + 1)) count += 1;
  for (let at = text.indexOf('['); at !== -1 && count <= most; at = text.indexOf('[', at + 1)) count += 1;
  return count > most;
}

/** Counts brackets outside strings; exact for valid JSON, and for anything else the parser has the last word. */
function isTooDeep(bytes: Uint8Array): boolean {
  let depth = 0;
  for (let at = 0; at < bytes.length; at += 1) {
    const byte = bytes[at];
    if (byte === QUOTE) at = endOfString(bytes, at);
    else if (byte === 0x5b || byte === 0x7b) {
      depth += 1;
      if (depth > MAX_DEPTH) return true;
    } else if (byte === 0x5d || byte === 0x7d) depth -= 1;
  }
  return false;
}

/** Index of the quote that closes the string opened at `start`; the last index when there is none. */
function endOfString(bytes: Uint8Array, start: number): number {
  for (let at = bytes.indexOf(QUOTE, start + 1); at !== -1; at = bytes.indexOf(QUOTE, at + 1)) {
    let backslashes = 0;
    while (bytes[at - 1 - backslashes] === BACKSLASH) backslashes += 1;
    if (backslashes % 2 === 0) return at;
  }
  return bytes.length - 1;
}

/** What `unfit` allows of one value. */
export interface Bounds {
  /** UTF-16 units of one string. */
  readonly maxString: number;
}

/**
 * What is wrong with the strings and numbers of a parsed value, or undefined: a lone surrogate, a string beyond the bound, an
 * integer beyond 2^53 - 1 (which would not be the number that was written). Keys count as strings.
 */
export function unfit(value: unknown, bounds: Bounds): string | undefined {
  if (typeof value === 'string') {
    if (value.length > bounds.maxString) return `a string is longer than ${bounds.maxString} characters`;
    return value.isWellFormed() ? undefined : 'a string is not well-formed Unicode';
  }
  if (typeof value === 'number') {
    const good = Number.isInteger(value) ? Number.isSafeInteger(value) : Number.isFinite(value);
    return good ? undefined : 'a number is out of range';
  }
  if (typeof value !== 'object' || value === null) return undefined;
  if (!Array.isArray(value)) return unfit(Object.keys(value), bounds) ?? unfit(Object.values(value), bounds);
  for (const item of value) {
    const problem = unfit(item, bounds);
    if (problem !== undefined) return problem;
  }
  return undefined;
}
