/** Recognises kinds of text: encodings by byte order mark, markup, scripts and JSON. Pure functions over a buffer. */

/** Control characters that text does not have; tab, newline, form feed, return and escape are fine. */
// eslint-disable-next-line no-control-regex -- control characters are what is looked for
const NOT_TEXT = /[\x00-\x08\x0b\x0e-\x1a\x1c-\x1f]/;

const HTML = /^(?:<!doctype html|<(?:html|head|body|title|script|table|h1|div|p|br)[\s>/])/i;

/** Interpreters of `#!` lines by the name of the program. */
const SCRIPTS: readonly (readonly [RegExp, string])[] = [
  [/^(?:ba|da|k|z|c|tc|fi)?sh$/, 'text/x-shellscript'],
  [/^python[\d.]*$/, 'text/x-python'],
  [/^perl[\d.]*$/, 'text/x-perl'],
  [/^ruby[\d.]*$/, 'text/x-ruby'],
  [/^(?:node|nodejs|deno|bun)$/, 'text/javascript'],
  [/^php[\d.]*$/, 'text/x-php'],
  [/^[gmn]?awk$/, 'text/x-awk'],
  [/^lua[\d.]*$/, 'text/x-lua'],
  [/^tclsh[\d.]*$/, 'text/x-tcl'],
];

/** MIME type of text, or undefined when the bytes are no text. `whole`: nothing follows them. */
export function textMime(bytes: Buffer, whole: boolean): string | undefined {
  if (bytes[0] === 0xff && bytes[1] === 0xfe) return 'text/plain; charset=utf-16le';
  if (bytes[0] === 0xfe && bytes[1] === 0xff) return 'text/plain; charset=utf-16be';
  const text = decode(bytes, whole);
  if (text === undefined || NOT_TEXT.test(text)) return undefined;
  if (text.startsWith('#!')) return scriptMime(text);
  const start = text.trimStart();
  if (start.startsWith('<?xml')) return 'text/xml; charset=utf-8';
  if (HTML.test(start)) return 'text/html; charset=utf-8';
  return isJson(start, whole) ? 'application/json' : 'text/plain; charset=utf-8';
}

/** UTF-8 text; a character cut off at the end is forgiven when more of the file follows. */
function decode(bytes: Buffer, whole: boolean): string | undefined {
  try {
    return new TextDecoder('utf-8', { fatal: true }).decode(bytes, { stream: !whole });
  } catch {
    return undefined;
  }
}

function scriptMime(text: string): string {
  const words = (text.slice(2).split('\n', 1)[0] ?? '').trim().split(/\s+/);
  const names = words.map((word) => word.slice(word.lastIndexOf('/') + 1));
  const program = names[0] === 'env' ? names.slice(1).find((name) => !name.startsWith('-') && !name.includes('=')) : names[0];
  return SCRIPTS.find(([pattern]) => pattern.test(program ?? ''))?.[1] ?? 'text/x-script';
}

/** A whole document must parse; of a longer one only the beginning can be judged. */
function isJson(text: string, whole: boolean): boolean {
  if (!/^(?:\{\s*(?:"|\}|$)|\[\s*(?:[[{"\]\-\d]|true|false|null|$))/.test(text)) return false;
  if (!whole) return !text.startsWith('{') || /^\{\s*"(?:[^"\\]|\\.)*"\s*:/.test(text);
  try {
    JSON.parse(text);
    return true;
  } catch {
    return false;
  }
}
