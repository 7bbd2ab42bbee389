/** Writes manual pages in the macros of man(7), which every man program reads. Knows nothing of what they are about. */

/** One entry of a list: what is described, and its description. */
export type Item = readonly [term: string, text: string];

export interface Section {
  readonly title: string;
  /** Paragraphs of running text. */
  readonly text?: readonly string[];
  readonly items?: readonly Item[];
  /** Lines that stay as they are: examples, files. */
  readonly lines?: readonly string[];
}

export interface Page {
  readonly name: string;
  /** Section of the manual, for instance 1. */
  readonly section: number;
  readonly version: string;
  /** One line without a full stop. */
  readonly about: string;
  readonly synopsis: readonly string[];
  readonly sections: readonly Section[];
}

/** Text that roff takes as it is: no escapes, no request at the beginning of a line, and hyphens that can be copied. */
export function escape(text: string): string {
  return text
    .replaceAll('\\', '\\e')
    .replaceAll('-', '\\-')
    .replaceAll("'", '\\(aq')
    .replaceAll('`', '\\(ga')
    .replaceAll('^', '\\(ha')
    .replaceAll('~', '\\(ti')
    .replace(/^\./gm, '\\&.');
}

/** The first one follows the title of its section without a macro. */
function paragraph(text: string, index: number): string {
  return `${index === 0 ? '' : '.PP\n'}${escape(text)}\n`;
}

function item([term, text]: Item): string {
  return `.TP\n.B "${escape(term).replaceAll('"', '\\(dq')}"\n${escape(text)}\n`;
}

function sectionText({ title, text = [], items = [], lines = [] }: Section): string {
  const before = text.length > 0 || items.length > 0 ? '.PP\n' : '';
  const literal = lines.length === 0 ? '' : `${before}.nf\n${lines.map((line) => `${escape(line)}\n`).join('')}.fi\n`;
  return `.SH "${escape(title)}"\n${text.map(paragraph).join('')}${items.map(item).join('')}${literal}`;
}

/** The page as the source that man(1) reads. */
export function toRoff(page: Page): string {
  const title = `.TH "${escape(page.name.toUpperCase())}" "${page.section}" "" "steward ${escape(page.version)}"\n`;
  const name = sectionText({ title: 'NAME', text: [] }) + `${escape(page.name)} \\- ${escape(page.about)}\n`;
  const synopsis = sectionText({ title: 'SYNOPSIS', lines: page.synopsis });
  return `.\\" Generated; do not edit.\n${title}${name}${synopsis}${page.sections.map(sectionText).join('')}`;
}
