/** The help texts, made from the same definitions that the parser reads. */
import { OPTIONS, type OptionSpec } from '../options.ts';
import type { Manual } from './all.ts';
import { optionSummary, optionText, synopsis, type ManualEntry } from './entry.ts';
import { EXAMPLES, EXIT_CODES, GRAMMAR } from './facts.ts';

const INTRO = `stewardctl drives a steward daemon, and administers its installation on this host.

Usage:
  stewardctl [options] VERB GROUP [arguments] [--name value ...]
  stewardctl [options] COMMAND

What verbs and groups there are, the server says: stewardctl tools, stewardctl explain GROUP.
${EXAMPLES.map((line) => `  ${line}\n`).join('')}`;

const OUTRO = `
${GRAMMAR}

Exit codes: ${EXIT_CODES.map(([code, meaning]) => `${code} ${meaning}`).join(', ')}.
`;

function rows(title: string, list: readonly (readonly [string, string])[]): string {
  const width = Math.min(44, Math.max(0, ...list.map(([left]) => left.length)));
  const lines = list.map(([left, right]) => `  ${left.padEnd(width)}  ${right}\n`);
  return list.length === 0 ? '' : `\n${title}:\n${lines.join('')}`;
}

function optionRow({ name, short, value, summary }: OptionSpec): [string, string] {
  return [`${short === undefined ? '    ' : `-${short}, `}--${name}${value === undefined ? '' : ` ${value}`}`, summary];
}

function commandRow({ words, usage, summary }: ManualEntry): [string, string] {
  return [[...words, usage].join(' ').trim(), summary];
}

/** The text of `stewardctl --help`. */
export function helpText({ own, host }: Manual): string {
  const options = (OPTIONS as readonly OptionSpec[]).map(optionRow);
  return (
    INTRO +
    rows('Commands', own.map(commandRow)) +
    rows('Host administration', host.map(commandRow)) +
    rows('Options', options) +
    OUTRO
  );
}

/** The text of `stewardctl COMMAND --help`. */
export function commandHelp(entry: ManualEntry): string {
  const details = entry.details.map((paragraph) => `\n${paragraph}\n`).join('');
  const options = entry.options.map((option): [string, string] => [optionText(option), optionSummary(option)]);
  return `${synopsis(entry)}\n\n${entry.summary}\n${details}${rows('Options', options)}`;
}
