/** stewardctl config check: the daemon's own strict loader over the three files. */
import { loadSnapshot } from '@steward/shared/config/load.ts';
import { takeWords } from './answer.ts';
import type { HostCall, HostCommand } from './command.ts';
import { EXIT } from '../exit.ts';

/** `no grants`, `1 grant`, `2 grants`. */
function counted(count: number, what: string): string {
  return `${count === 0 ? 'no' : String(count)} ${what}${count === 1 ? '' : 's'}`;
}

function check(call: HostCall): Promise<number> {
  takeWords(call, 'config check');
  const { users, grants, warnings, directory } = loadSnapshot(call.configDir);
  for (const warning of warnings) call.err.write(`warning: ${warning}\n`);
  const count = Object.values(grants).reduce((sum, { tools }) => sum + Object.keys(tools).length, 0);
  const counts = [counted(users.length, 'user'), counted(count, 'grant'), counted(warnings.length, 'warning')];
  call.out.write(`${directory} is good: ${counts.join(', ')}\n`);
  return Promise.resolve(EXIT.done);
}

export const configCommands: readonly HostCommand[] = [
  { path: ['config', 'check'], usage: '', summary: 'Check the three configuration files', options: [], run: check },
];
