/** Names between bytes and text: JSON shows invalid UTF-8 as U+FFFD and adds the exact bytes as base64 beside it. */

const SHORT: Readonly<Record<string, string>> = { '\n': '\\n', '\r': '\\r', '\t': '\\t' };
const CONTROL = /[\u0000-\u001f\u007f-\u009f]/; // eslint-disable-line no-control-regex -- control characters are what is looked for
const CONTROLS = new RegExp(CONTROL, 'g');
/** Characters that the expression goes through in less time than the engine takes for three questions. */
const FEW = 32;

/** Whether a text and its byte string are the same: any other character takes two bytes or more. */
export function isAscii(text: string): boolean {
  return Buffer.byteLength(text) === text.length;
}

/** Whether all of these are plain; one look for many. */
export function areAscii(names: readonly string[]): boolean {
  return isAscii(names.join(''));
}

/** The bytes of a byte string. */
export function bytesOf(name: string): Buffer {
  return Buffer.from(name, 'latin1');
}

/** A byte string of text (UTF-8). */
export function byteString(text: string): string {
  return isAscii(text) ? text : Buffer.from(text, 'utf8').toString('latin1');
}

/** Text of a byte string; invalid UTF-8 becomes U+FFFD. */
export function textOf(name: string): string {
  return isAscii(name) ? name : bytesOf(name).toString('utf8');
}

/** A name for a record: its text, and `path_base64` of the full path exactly when the text does not say it all. */
export function namedPath(path: string): { path: string; path_base64?: string } {
  if (isAscii(path)) return { path };
  const bytes = bytesOf(path);
  const text = bytes.toString('utf8');
  return Buffer.from(text, 'utf8').equals(bytes) ? { path: text } : { path: text, path_base64: bytes.toString('base64') };
}

/** Puts a name below a directory; both byte strings. The root directory is `/`. */
export function joinPath(directory: string, name: string): string {
  return directory.endsWith('/') ? directory + name : `${directory}/${name}`;
}

/** Where an object is: for people, as a byte string, and really, as text. */
export interface Place {
  readonly path: string;
  readonly realPath: string;
}

/** Where an entry of a directory is. Mostly bytes and text of a path are the same, and it is put together once. */
export function placeBelow({ path, realPath }: Place, name: string): Place {
  const inside = joinPath(path, name);
  if (path === realPath && isAscii(name)) return { path: inside, realPath: inside };
  return { path: inside, realPath: joinPath(realPath, textOf(name)) };
}

/**
 * A name in text for people, with U+0000-001F and U+007F-009F as `\n`, `\r`, `\t` or `\xNN`: whoever chose it can neither start a
 * line of his own nor speak to the terminal.
 */
export function escapeName(name: string): string {
  return isPlain(name) ? name : name.replace(CONTROLS, escapeControl);
}

/** Whether a name surely needs no escape. A daemon interprets regular expressions: long names are told by what JSON makes of them. */
function isPlain(name: string): boolean {
  if (name.length <= FEW) return !CONTROL.test(name);
  return JSON.stringify(name).length === name.length + 2 && isAscii(name) && !name.includes('\u007f');
}

function escapeControl(char: string): string {
  return SHORT[char] ?? `\\x${char.charCodeAt(0).toString(16).padStart(2, '0')}`;
}
