/**
 * stewardctl grants check: what the loader finds odd in grants.yaml, and every grant that amounts to root. Reads the configuration;
 * changes nothing.
 */
import { loadSnapshot } from '@steward/shared/config/load.ts';
import { takeWords } from './answer.ts';
import type { HostCall, HostCommand } from './command.ts';
import { rootGrants, type Finding } from './root-grants.ts';
import { EXIT } from '../exit.ts';
import { oneLine } from '../safety.ts';

const WORDS: Readonly<Record<Finding['level'], string>> = { root: 'amounts to root', wide: 'wider than it looks' };

function check(call: HostCall): Promise<number> {
  takeWords(call, 'grants check');
  const snapshot = loadSnapshot(call.configDir);
  const found = rootGrants(snapshot).map(
    ({ level, user, tool, line, reason }) => `${snapshot.files[2]}:${line}: ${WORDS[level]}: ${user} ${tool}: ${reason}`,
  );
  const lines = [...snapshot.warnings, ...found];
  for (const line of lines) call.out.write(`${oneLine(line)}\n`);
  call.out.write(
    lines.length === 0 ? 'nothing to say about the grants\n' : `${lines.length} finding${lines.length === 1 ? '' : 's'}\n`,
  );
  return Promise.resolve(lines.length > 0 && call.options.has('strict') ? EXIT.failed : EXIT.done);
}

export const checkCommands: readonly HostCommand[] = [
  {
    path: ['grants', 'check'],
    usage: '',
    summary: 'List grants that amount to root, and entries that do nothing',
    details: ['Exit status 1 when grants.yaml cannot be used, 0 with findings that are only advice.'],
    options: [{ name: 'strict', summary: 'Findings are errors' }],
    run: check,
  },
];
