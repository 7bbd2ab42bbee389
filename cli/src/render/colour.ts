/**
 * The little that is coloured on a terminal: titles of tables, the beginning of an error, what a self-test found. It is added behind
 * the escaping of control characters, so that nothing a server sends can be a colour (ECMA-48, SGR).
 */
import type { Output } from '../io.ts';

const RESET = '\u001b[0m';
const CODES = { bold: '\u001b[1m', red: '\u001b[31m', green: '\u001b[32m' } as const;

/** The text in a colour where the output shows colours; else the text. */
export function painted(out: Output, colour: keyof typeof CODES, text: string): string {
  return out.isTTY === true && out.hasColors?.() === true ? `${CODES[colour]}${text}${RESET}` : text;
}
