/**
 * stewardctl grants check: what the loader finds odd in grants.yaml, and every grant that amounts to root. Reads the configuration,
 * and asks the container engine about containers where a grant depends on what they are; changes nothing.
 */
import { loadSnapshot } from '@steward/shared/config/load.ts';
import type { ConfigSnapshot } from '@steward/shared/config/types.ts';
import { takeWords } from './answer.ts';
import type { HostCall, HostCommand } from './command.ts';
import { rootContainers, type RootContainer } from './engine-roots.ts';
import { needsEngine, rootGrants, type Finding } from './root-grants.ts';
import { EXIT } from '../exit.ts';
import { oneLine } from '../safety.ts';

const WORDS: Readonly<Record<Finding['level'], string>> = { root: 'amounts to root', wide: 'wider than it looks' };

/** What the engine says, where a grant depends on it; a line that says why it was not asked. */
async function askEngine(snapshot: ConfigSnapshot, call: HostCall): Promise<readonly RootContainer[]> {
  if (!needsEngine(snapshot)) return [];
  try {
    return await rootContainers(snapshot.daemon.broker.engine_socket);
  } catch (error) {
    const reason = error instanceof Error ? error.message : String(error);
    call.out.write(`note: not known which containers are privileged or hold the host: ${oneLine(reason)}\n`);
    return [];
  }
}

async function check(call: HostCall): Promise<number> {
  takeWords(call, 'grants check');
  const snapshot = loadSnapshot(call.configDir);
  const found = rootGrants(snapshot, await askEngine(snapshot, call)).map(
    ({ level, user, tool, line, reason }) => `${snapshot.files[2]}:${line}: ${WORDS[level]}: ${user} ${tool}: ${reason}`,
  );
  const lines = [...snapshot.warnings, ...found];
  for (const line of lines) call.out.write(`${oneLine(line)}\n`);
  call.out.write(
    lines.length === 0 ? 'nothing to say about the grants\n' : `${lines.length} finding${lines.length === 1 ? '' : 's'}\n`,
  );
  return lines.length > 0 && call.options.has('strict') ? EXIT.failed : EXIT.done;
}

export const checkCommands: readonly HostCommand[] = [
  {
    path: ['grants', 'check'],
    usage: '',
    summary: 'List grants that amount to root, and entries that do nothing',
    details: [
      'Where any command may be run in a container, the engine is asked which are privileged or hold the host.',
      'Exit status 1 when grants.yaml cannot be used, 0 with findings that are only advice.',
    ],
    options: [{ name: 'strict', summary: 'Findings are errors' }],
    run: check,
  },
];
