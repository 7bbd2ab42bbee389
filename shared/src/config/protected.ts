/** What of steward itself is out of every tool's reach, from where the configuration says that it is. */
import { readdirSync } from 'node:fs';
import { join } from 'node:path';
import type { ProtectedList } from '../host/guard.ts';
import { keyFileOf } from './tls.ts';
import type { ConfigSnapshot } from './types.ts';

const UNIT_DIRECTORIES = ['/etc/systemd/system', '/usr/lib/systemd/system', '/run/systemd/system'];
const UNITS = ['steward-broker.socket', 'steward-broker@.service', 'steward-frontend.service'];

/**
 * What no tool may touch: configuration, state, log and key of this pair and of an installed one, and for writing also the
 * programs and units. `program` is the directory of the running program; `pids` its processes.
 */
export function protectedList(config: ConfigSnapshot, stateDir: string, program: string, pids: readonly number[]): ProtectedList {
  const { directory, daemon } = config;
  const secrets = [directory, stateDir, daemon.audit.directory, keyFileOf(config)];
  const trees = [...secrets, '/etc/steward', '/run/steward', '/var/lib/steward'];
  const readOnly = ['/usr/lib/steward', program, ...UNIT_DIRECTORIES.flatMap(unitsIn)];
  return { trees: [...new Set(trees)], readOnly: [...new Set(readOnly)], pids };
}

/** Units of ours that are there, with their drop-ins, and the places of those that are not. */
function unitsIn(directory: string): string[] {
  const known = UNITS.flatMap((unit) => [join(directory, unit), join(directory, `${unit}.d`)]);
  try {
    const present = readdirSync(directory).filter((name) => name.startsWith('steward'));
    return [...known, ...present.map((name) => join(directory, name))];
  } catch {
    return known;
  }
}
