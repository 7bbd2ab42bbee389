/**
 * The options of stewardctl itself, defined once for the parser and for the help text. Options of tools are not here: they
 * come from the server's schemas.
 */
import { usageError } from './exit.ts';
import { hint } from './nearest.ts';

export interface OptionSpec {
  readonly name: string;
  readonly short?: string;
  /** Name of the value in the help text; an option without one is a switch. */
  readonly value?: string;
  /** The value may be absent: then it is this one. The next word is taken for it only when it is a number. */
  readonly fallback?: string;
  readonly choices?: readonly string[];
  readonly summary: string;
  /**
   * `connection`: says where to connect, so it must be known before the server's schemas are. `call`: how one call is made;
   * behind the group an argument of the same name goes first.
   */
  readonly scope: 'connection' | 'call';
  /** Accepted only before the verb. */
  readonly leading?: true;
}

export const FORMATS = ['text', 'json', 'yaml', 'table', 'wide', 'name'] as const;
export type Format = (typeof FORMATS)[number];

export const OPTIONS = [
  {
    name: 'context',
    value: 'NAME[,NAME...]',
    scope: 'connection',
    summary: 'Context of the configuration file to use; several run in parallel',
  },
  { name: 'all-contexts', scope: 'connection', summary: 'Use every context of the configuration file, in parallel' },
  { name: 'server', value: 'URL', scope: 'connection', summary: 'Address of the daemon (STEWARD_SERVER)' },
  {
    name: 'token-file',
    value: 'FILE',
    scope: 'connection',
    summary: 'File that holds the token (or STEWARD_TOKEN holds the token itself)',
  },
  { name: 'ca-file', value: 'FILE', scope: 'connection', summary: 'Certificate to trust, PEM (STEWARD_CA)' },
  { name: 'fingerprint', value: 'SHA256', scope: 'connection', summary: 'Trust only the certificate with this fingerprint' },
  {
    name: 'insecure',
    scope: 'connection',
    leading: true,
    summary: 'Do not check the certificate; warns each time. Only before the verb',
  },
  {
    name: 'config-dir',
    value: 'DIR',
    scope: 'connection',
    summary: 'Configuration directory of the host commands (STEWARD_CONFIG_DIR)',
  },
  { name: 'output', short: 'o', value: 'FORMAT', choices: FORMATS, scope: 'call', summary: `One of ${FORMATS.join(', ')}` },
  { name: 'human', scope: 'call', summary: 'Sizes in human units' },
  { name: 'privileged', short: 'p', scope: 'call', summary: 'Run as root; needs a grant' },
  { name: 'dry-run', scope: 'call', summary: 'Say what would happen, change nothing' },
  { name: 'timeout', value: 'SECONDS', scope: 'call', summary: 'Give up waiting for the answer after this time' },
  {
    name: 'watch',
    value: 'SECONDS',
    fallback: '2',
    scope: 'call',
    summary: 'Repeat a read-only call and draw it anew, every 2 seconds where no number is given',
  },
  { name: 'yes', short: 'y', scope: 'call', summary: 'Do not ask before a destructive call' },
  { name: 'help', short: 'h', scope: 'call', summary: 'Show help' },
  { name: 'version', scope: 'call', leading: true, summary: 'Show the version' },
] as const satisfies readonly OptionSpec[];

export type OptionName = (typeof OPTIONS)[number]['name'];
/** What was given: the value of an option, or true for a switch. */
export type Flags = Map<OptionName, string | true>;

type KnownOption = OptionSpec & { readonly name: OptionName };

export function findOption(name: string): KnownOption | undefined {
  return OPTIONS.find((option) => option.name === name);
}

export function findShort(letter: string): KnownOption | undefined {
  return (OPTIONS as readonly KnownOption[]).find((option) => option.short === letter);
}

/** Text of a value option, or undefined when it was not given. */
export function textOf(flags: Flags, name: OptionName): string | undefined {
  const value = flags.get(name);
  return typeof value === 'string' ? value : undefined;
}

/** Records one option. @throws CliError for a value that is not allowed, and for an option given twice with two values */
export function setFlag(flags: Flags, option: KnownOption, value: string | true): void {
  if (typeof value === 'string' && option.choices !== undefined && !option.choices.includes(value)) {
    throw usageError(`--${option.name} must be one of ${option.choices.join(', ')}, got "${value}"`);
  }
  const before = flags.get(option.name);
  if (before !== undefined && before !== value) throw usageError(`--${option.name} is given twice`);
  flags.set(option.name, value);
}

/**
 * The error for a flag that nothing knows.
 *
 * @param command the words behind `stewardctl` that say which options there are, with `--help` behind them
 */
export function unknownFlag(flag: string, known: Iterable<string>, command = ''): Error {
  const name = flag.replace(/^-+/, '').replace(/=.*$/s, '');
  const otherwise = `${['stewardctl', command].join(' ').trim()} --help says which there are`;
  return usageError(`unknown option ${flag.replace(/=.*$/s, '')}${hint(name, known, (word) => `--${word}`, otherwise)}`);
}
