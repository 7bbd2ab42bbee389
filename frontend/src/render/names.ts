/**
 * Names of files, keys and accounts as they appear in text for people: control characters become visible escapes, so that a file
 * name can neither start a line of its own nor speak to the terminal. JSON forms keep names as they are.
 */
const SHORT: Readonly<Record<string, string>> = { '\n': '\\n', '\r': '\\r', '\t': '\\t' };

// eslint-disable-next-line no-control-regex -- control characters are what is looked for
const CONTROL = /[\u0000-\u001f\u007f-\u009f]/g;

/** Writes U+0000-001F and U+007F-009F as `\n`, `\r`, `\t` or `\xNN`. */
export function escapeName(name: string): string {
  return name.replace(CONTROL, (char) => SHORT[char] ?? `\\x${char.charCodeAt(0).toString(16).padStart(2, '0')}`);
}
