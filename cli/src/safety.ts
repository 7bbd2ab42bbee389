/**
 * Keeps what a server sends from driving the terminal: file names, file content and error texts may hold escape sequences.
 * Only terminals are protected; a pipe or a file gets the bytes as they are.
 */

// C0 but tab and newline, DEL, and C1 (ECMA-48: U+009B alone starts a control sequence).
// eslint-disable-next-line no-control-regex -- control characters are what is looked for
const CONTROL = /[\u0000-\u0008\u000b-\u001f\u007f-\u009f]/g;

const SHORT: Readonly<Record<string, string>> = { '\r': '\\r', '\n': '\\n', '\t': '\\t' };

function hex(character: string, width: number): string {
  return character.charCodeAt(0).toString(16).padStart(width, '0');
}

/** Text for a terminal: control characters are spelled `\r` or `\xNN`; tab and newline stay. */
export function forTerminal(text: string): string {
  return text.replace(CONTROL, (character) => SHORT[character] ?? `\\x${hex(character, 2)}`);
}

/** JSON for a terminal: what JSON leaves raw (DEL, C1) is written as `\u00NN`, so that it stays the same document. */
export function jsonForTerminal(text: string): string {
  return text.replace(CONTROL, (character) => `\\u${hex(character, 4)}`);
}

/** A table cell: one line, whatever is in it. */
export function oneCell(text: string): string {
  return forTerminal(text.replace(/[\t\n]/g, (character) => SHORT[character] ?? ''));
}

/** A message as one line: lines are joined with `; `, control characters spelled. */
export function oneLine(text: string): string {
  return forTerminal(
    text
      .trim()
      .replace(/\s*\n\s*/g, '; ')
      .replaceAll('\t', ' '),
  );
}
