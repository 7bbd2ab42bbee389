/** stewardctl audit verify: checks the chain of an audit log, here or on a copy somewhere else. */
import { resolve } from 'node:path';
import { loadSnapshot } from '@steward/shared/config/load.ts';
import { verifyAudit } from '@steward/shared/audit/verify.ts';
import { errnoOf, reasonOf } from '@steward/shared/errors.ts';
import type { HostCall, HostCommand } from './command.ts';
import { CliError } from '../exit.ts';
import { oneLine } from '../safety.ts';

/** Exit codes of `audit verify` alone: a script must tell an altered log from a cut one and from a wrong command line. */
const VERIFIED = { good: 0, altered: 1, truncated: 2 } as const;
/** EX_USAGE of sysexits.h. */
export const AUDIT_USAGE = 64;

/** The directory that is named, else the one of daemon.yaml. */
export function auditDirectory(call: HostCall): string {
  const [path, extra] = call.positional;
  if (extra !== undefined) throw new CliError(AUDIT_USAGE, `audit: unexpected "${extra}"`);
  return path === undefined ? loadSnapshot(call.configDir).daemon.audit.directory : resolve(path);
}

/** A directory that cannot be read is neither good nor altered. */
export function unreadable(directory: string, error: unknown): unknown {
  return errnoOf(error) === undefined ? error : new CliError(AUDIT_USAGE, `${directory}: ${reasonOf(error)}`);
}

async function verify(call: HostCall): Promise<number> {
  const directory = auditDirectory(call);
  const verdict = await verifyAudit(directory).catch((error: unknown) => {
    throw unreadable(directory, error);
  });
  const place = verdict.firstBad === undefined ? '' : `${verdict.firstBad}: `;
  call.out.write(`${verdict.state}: ${oneLine(`${place}${verdict.message}`)}\n`);
  return VERIFIED[verdict.state];
}

export const auditVerifyCommands: readonly HostCommand[] = [
  {
    path: ['audit', 'verify'],
    usage: '[PATH]',
    summary: 'Verify the audit log: exit 0 good, 1 altered, 2 truncated, 64 usage',
    options: [],
    run: verify,
  },
];
