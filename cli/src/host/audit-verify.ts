/** stewardctl audit verify: checks chain and seals of an audit log, here or on a copy somewhere else. */
import { readFileSync } from 'node:fs';
import { resolve } from 'node:path';
import { loadSnapshot } from '@steward/shared/config/load.ts';
import { readAnchors, type Anchor } from '@steward/shared/audit/anchor.ts';
import { verifyAudit } from '@steward/shared/audit/verify.ts';
import { errnoOf, reasonOf } from '@steward/shared/errors.ts';
import { optionOf } from './answer.ts';
import { AUDIT_USAGE, readMoment } from './audit-filter.ts';
import type { HostCall, HostCommand, HostOption } from './command.ts';
import { CliError } from '../exit.ts';
import { oneLine } from '../safety.ts';

/** Exit codes of `audit verify` alone: a script must tell an altered log from a cut one and from a wrong command line. */
const VERIFIED = { good: 0, altered: 1, truncated: 2 } as const;

/** The directory that is named, else the one of daemon.yaml. */
export function auditDirectory(call: HostCall): string {
  const [path, extra] = call.positional;
  if (extra !== undefined) throw new CliError(AUDIT_USAGE, `audit: unexpected "${extra}"`);
  return path === undefined ? loadSnapshot(call.configDir).daemon.audit.directory : resolve(path);
}

/** A directory that cannot be read is neither good nor altered. */
export function unreadable(directory: string, error: unknown): unknown {
  if (error instanceof SyntaxError) return new CliError(AUDIT_USAGE, `${directory}: ${error.message}`);
  return errnoOf(error) === undefined ? error : new CliError(AUDIT_USAGE, `${directory}: ${reasonOf(error)}`);
}

/** The anchors in a file that the auditor keeps: public keys, lines of the journal, what an earlier verification printed. `-` is standard input. */
function anchorsIn(file: string): Anchor[] {
  let text: string;
  try {
    text = readFileSync(file === '-' ? 0 : resolve(file), 'utf8');
  } catch (error) {
    throw unreadable(file, error);
  }
  const anchors = readAnchors(text);
  if (anchors.length === 0) throw new CliError(AUDIT_USAGE, `${file}: no line "steward-audit epoch N key ..."`);
  return anchors;
}

export const KEY_OPTION: HostOption = {
  name: 'key',
  value: 'FILE',
  summary: 'Public keys noted outside the host: seal.pub as it was, or lines of the journal; - reads standard input',
};

/** What `--key` says. */
export function anchorOptions(call: HostCall): { readonly anchors?: readonly Anchor[] } {
  const key = optionOf(call, 'key');
  return key === undefined ? {} : { anchors: anchorsIn(key) };
}

async function verify(call: HostCall): Promise<number> {
  const directory = auditDirectory(call);
  const at = optionOf(call, 'at');
  const options = {
    ...anchorOptions(call),
    ...(at !== undefined && { now: readMoment('at', at) }),
  };
  const verdict = await verifyAudit(directory, options).catch((error: unknown) => {
    throw unreadable(directory, error);
  });
  if (verdict.state === 'good' && !verdict.keyed) {
    throw new CliError(
      AUDIT_USAGE,
      `${directory}: the chain is whole, but there is no key to verify its seals with (seal.pub, or --key FILE)`,
    );
  }
  const place = verdict.firstBad === undefined ? '' : `${verdict.firstBad}: `;
  call.out.write(`${verdict.state}: ${oneLine(`${place}${verdict.message}`)}\n`);
  if (verdict.state === 'good' && verdict.anchor !== undefined) call.out.write(`note: ${verdict.anchor}\n`);
  return VERIFIED[verdict.state];
}

export const auditVerifyCommands: readonly HostCommand[] = [
  {
    path: ['audit', 'verify'],
    usage: '[PATH]',
    summary: 'Verify the audit log: exit 0 good, 1 altered, 2 truncated, 64 usage',
    options: [
      KEY_OPTION,
      { name: 'at', value: 'TIME', summary: 'When this copy was made, for the age of an open end; default now' },
    ],
    run: verify,
  },
];
