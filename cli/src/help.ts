/** The help text, made from the same definitions that the parser reads. */
import { OWN_COMMANDS } from './commands/index.ts';
import { hostCommands } from './host/index.ts';
import { OPTIONS, type OptionSpec } from './options.ts';

const INTRO = `stewardctl drives a steward daemon, and administers its installation on this host.

Usage:
  stewardctl [options] VERB GROUP [arguments] [--name value ...]
  stewardctl [options] COMMAND

What verbs and groups there are, the server says: stewardctl tools, stewardctl explain GROUP.
  stewardctl list files /etc --all
  stewardctl get files /etc/hosts --start-line 2
  stewardctl create files /tmp/note --content @note.txt
  stewardctl sysctl kernel vm.swappiness 10 --privileged
`;

const OUTRO = `
Words without a flag fill the required arguments, then optional ones. A switch takes --all, --no-long or --long=false; a list is
a repeated flag, or everything behind --. A text given by name may be @FILE, - (standard input), or @@ for a literal @.

Exit codes: 0 done, 1 failed, 2 usage, 3 no connection, 4 not authenticated, 5 not granted, 130 interrupted.
`;

function rows(title: string, list: readonly (readonly [string, string])[]): string {
  const width = Math.min(44, Math.max(0, ...list.map(([left]) => left.length)));
  const lines = list.map(([left, right]) => `  ${left.padEnd(width)}  ${right}\n`);
  return list.length === 0 ? '' : `\n${title}:\n${lines.join('')}`;
}

function optionRow({ name, short, value, summary }: OptionSpec): [string, string] {
  return [`${short === undefined ? '    ' : `-${short}, `}--${name}${value === undefined ? '' : ` ${value}`}`, summary];
}

function words(...parts: readonly string[]): string {
  return parts.join(' ').trim();
}

export function helpText(): string {
  const own = OWN_COMMANDS.map((command): [string, string] => [words(command.name, command.usage), command.summary]);
  const host = hostCommands.map((command): [string, string] => [words(...command.path, command.usage), command.summary]);
  const options = (OPTIONS as readonly OptionSpec[]).map(optionRow);
  return INTRO + rows('Commands', own) + rows('Host administration', host) + rows('Options', options) + OUTRO;
}
