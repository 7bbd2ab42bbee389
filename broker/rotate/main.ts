/**
 * steward-audit-rotate: removes segments of the audit log that are older than `audit.keep_days`. Started by a timer, as root, in a
 * unit of its own, so that the broker never needs the means to remove a record. Reads daemon.yaml and the log, nothing else.
 *
 *   audit-rotate --config-dir DIR
 *
 * Exit status: 0 done, 1 what is due does not verify and stays, 2 configuration or usage.
 */
import { parseArgs } from 'node:util';
import { anchorLine } from '@steward/shared/audit/anchor.ts';
import { expireAudit, NotExpired } from '@steward/shared/audit/expire.ts';
import { parseDaemon } from '@steward/shared/config/daemon.ts';
import { ConfigDirectory } from '@steward/shared/config/files.ts';
import { ConfigError, type DaemonConfig } from '@steward/shared/config/types.ts';
import { errnoOf, reasonOf } from '@steward/shared/errors.ts';

const USAGE = 'usage: audit-rotate --config-dir DIR';

function leave(status: number, reason: string): never {
  process.stderr.write(`audit-rotate: ${reason}\n`);
  process.exit(status);
}

function readConfig(): DaemonConfig['audit'] {
  try {
    const { 'config-dir': directory } = parseArgs({ options: { 'config-dir': { type: 'string' } } }).values;
    if (directory === undefined) leave(2, USAGE);
    const files = new ConfigDirectory(directory);
    return parseDaemon(files.readText('daemon.yaml'), `${directory}/daemon.yaml`).audit;
  } catch (error) {
    if (error instanceof ConfigError || error instanceof TypeError) leave(2, error.message);
    throw error;
  }
}

const { directory, keep_days: keepDays } = readConfig();
try {
  const { removed, checkpoint } = await expireAudit(directory, keepDays);
  // On standard output, which is the journal: it says outside the log where the rest begins.
  process.stdout.write(`${removed.length} segments older than ${keepDays} days removed from ${directory}\n`);
  if (checkpoint !== undefined) process.stdout.write(`${anchorLine(checkpoint)}\n`);
} catch (error) {
  if (error instanceof NotExpired) leave(1, `nothing removed: ${error.message} (see stewardctl audit verify)`);
  if (errnoOf(error) !== undefined) leave(1, `${directory}: ${reasonOf(error)}`);
  throw error;
}
