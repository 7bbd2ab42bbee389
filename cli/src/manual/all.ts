/** Everything that is written about stewardctl's own commands, in the order of the help text. */
import { OWN_COMMANDS } from '../commands/index.ts';
import { hostCommands } from '../host/index.ts';
import { entryOfHost, entryOfOwn, type ManualEntry } from './entry.ts';

export interface Manual {
  /** Commands of the client. */
  readonly own: readonly ManualEntry[];
  /** Commands of the host administration. */
  readonly host: readonly ManualEntry[];
}

export function manual(): Manual {
  const own = OWN_COMMANDS.filter((command) => command.hidden !== true);
  return { own: own.map(entryOfOwn), host: hostCommands.map(entryOfHost) };
}
