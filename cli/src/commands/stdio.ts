/** `stdio`: an MCP server on standard input and output that relays to the daemon, for hosts that can only start a program. */
import { findTarget } from '../context/target.ts';
import { EXIT, usageError } from '../exit.ts';
import type { OwnCommand } from './own.ts';
import { readWords } from './words.ts';

const STYLES = ['slash', 'underscore'];

export const stdio: OwnCommand = {
  name: 'stdio',
  usage: '[slash | underscore]',
  summary: 'Be an MCP server on standard input and output; underscore lists tools under names without a slash',
  local: true,
  run: async (call) => {
    const { values } = readWords('stdio', ['[names]'], call);
    const names = values.get('names');
    if (names !== undefined && !STYLES.includes(names)) throw usageError(`stdio ${names}: names are ${STYLES.join(' or ')}`);
    const { relay } = await import('../client/relay.ts');
    await relay(await findTarget(call.flags, call.io), call.io, names === 'underscore' ? names : undefined);
    return EXIT.done;
  },
};
