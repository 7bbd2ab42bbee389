/**
 * What is written about one command: the single definition behind help texts, manual pages and completion. It is made from the
 * commands themselves, so that nothing can be documented that is not there, or be there undocumented.
 */
import type { OwnCommand } from '../commands/own.ts';
import type { HostCommand, HostOption } from '../host/command.ts';

export interface ManualEntry {
  /** The words that name the command. */
  readonly words: readonly string[];
  /** What may stand behind them. */
  readonly usage: string;
  readonly summary: string;
  readonly details: readonly string[];
  readonly options: readonly HostOption[];
}

const NO_RELOAD: HostOption = { name: 'no-reload', summary: 'Do not tell the daemon' };

/** Options of a command of the host administration, with those that all of its kind have. */
export function hostOptions(command: HostCommand): readonly HostOption[] {
  return command.changes === true ? [...command.options, NO_RELOAD] : command.options;
}

export function entryOfHost(command: HostCommand): ManualEntry {
  const { path, usage, summary, details } = command;
  return { words: path, usage, summary, details: details ?? [], options: hostOptions(command) };
}

export function entryOfOwn({ name, usage, summary, details, options }: OwnCommand): ManualEntry {
  return { words: [name], usage, summary, details: details ?? [], options: options ?? [] };
}

/** How an option is written: `--cidr NETWORK`, `-f, --follow`. */
export function optionText({ name, short, value }: HostOption): string {
  return `${short === undefined ? '' : `-${short}, `}--${name}${value === undefined ? '' : ` ${value}`}`;
}

/** What an option means, and that it may stand more than once. */
export function optionSummary({ summary, repeat }: HostOption): string {
  return repeat === true ? `${summary} (may be repeated)` : summary;
}

/** The command as it is typed, with what may stand behind it. */
export function synopsis({ words, usage, options }: ManualEntry): string {
  return ['stewardctl', ...words, usage, options.length > 0 ? '[options]' : ''].filter((word) => word !== '').join(' ');
}
