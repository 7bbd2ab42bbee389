/**
 * Prints an answer in the form that was asked for. Text is the server's own; every other form is made here from its JSON, and
 * an answer that is no JSON is printed as it is.
 */
import { documentIn, listIn, nameOf } from './data.ts';
import { renderTable } from './table.ts';
import { forTerminal, jsonForTerminal, oneCell } from '../safety.ts';
import type { Format } from '../options.ts';
import type { Output } from '../io.ts';

export interface PrintOptions {
  readonly format: Format;
  readonly human: boolean;
  /** The text is content and not a rendering: outside of a terminal it is written without an added newline. */
  readonly exact: boolean;
}

/** Writes text as it is to a pipe or file, and harmless to a terminal. */
function write(out: Output, text: string, exact: boolean): void {
  if (text === '') return;
  const shown = out.isTTY === true ? forTerminal(text) : text;
  out.write(shown.endsWith('\n') || (exact && out.isTTY !== true) ? shown : `${shown}\n`);
}

function writeJson(out: Output, text: string): void {
  const shown = out.isTTY === true ? jsonForTerminal(text) : text;
  out.write(shown.endsWith('\n') || shown === '' ? shown : `${shown}\n`);
}

function names(value: unknown): string {
  const list = listIn(value) ?? [value];
  return list.map((item) => `${oneCell(nameOf(item))}\n`).join('');
}

/** Prints a document that this program has made or parsed. */
export async function printDocument(out: Output, value: unknown, { format, human }: PrintOptions): Promise<void> {
  if (format === 'yaml') {
    const { stringify } = await import('yaml');
    write(out, stringify(value, { lineWidth: 0 }), false);
  } else if (format === 'name') write(out, names(value), false);
  else if (format === 'table' || format === 'wide') {
    const width = out.isTTY === true ? out.columns : undefined;
    // Its cells are harmless already.
    out.write(renderTable(value, { wide: format === 'wide', human, width, out }));
  } else writeJson(out, JSON.stringify(value, null, 2));
}

/** Prints the text of an answer. */
export async function printAnswer(out: Output, text: string, options: PrintOptions): Promise<void> {
  const found = options.format === 'text' ? undefined : documentIn(text);
  if (found === undefined) write(out, text, options.exact);
  else if (options.format === 'json') writeJson(out, text);
  else await printDocument(out, found.value, options);
}
