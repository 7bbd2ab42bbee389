/**
 * The decision about one call, in its fixed order: the arguments fit the row, the daemon is not read-only, the user holds a grant
 * for the row, and the grant covers the object that is really there. Nothing is changed here, and nothing is opened before the
 * grant covers its path.
 */
import type { ConfigSnapshot } from '@steward/shared/config/types.ts';
import { StewardError } from '@steward/shared/errors.ts';
import type { Validate } from '@steward/shared/generated/validators.js';
import type { Guard } from '@steward/shared/host/guard.ts';
import type { Engine } from '@steward/shared/engine/engine.ts';
import type { ProgramRunner } from '@steward/shared/host/programs.ts';
import { problemOf } from '@steward/shared/ipc/check.ts';
import { unfit } from '@steward/shared/ipc/json.ts';
import { changesHost, grantFor, onlyReads, type Args } from './grants.ts';
import type { Restricted, Row } from '@steward/shared/catalogue/row.ts';

/** Longer texts travel as uploads. UTF-16 units. */
const MAX_ARGUMENT = 16 * 1024;

export interface Asked {
  readonly row: Row;
  readonly args: Args;
  readonly user: string;
  readonly config: ConfigSnapshot;
  /** Whether the call brings an upload. */
  readonly uploads: boolean;
  readonly signal: AbortSignal;
}

/** What a decision is made with. */
export interface Judges {
  readonly validators: Readonly<Record<string, Validate>>;
  readonly guard: Guard;
  /** The programs that a row names, for restrictions that must ask one. */
  readonly programs: (row: Row) => ProgramRunner;
  /** The container engine, for rows that name its socket. */
  readonly engine: (row: Row, signal: AbortSignal) => Promise<Engine>;
}

export interface Judged {
  /** Arguments in canonical form. */
  readonly args: Args;
  readonly restricted: Restricted;
  /** What permits the call, for the record. */
  readonly rule: string;
}

/** Permits a call or throws its refusal. The subject of the answer is open: whoever gets it closes it. */
export async function judge(asked: Asked, { validators, guard, programs, engine }: Judges): Promise<Judged> {
  const { row, args, user, config, uploads, signal } = asked;
  const { op, restriction } = row;
  checkArguments(row, args, validators);
  if (config.daemon.catalogue.read_only && changesHost(row, args, uploads))
    throw new StewardError('read_only', { tool: op.name });
  const { grant, tool, source } = grantFor(row, user, config, args, uploads);
  const account = config.users.find(({ name }) => name === user) ?? { account: '' };
  const host = {
    account,
    writes: !onlyReads(row, args, uploads),
    programs: programs(row),
    engine: () => engine(row, signal),
    signal,
  };
  const restricted = await restriction.decide({ args, grant, user, op, tool, guard, ...host });
  const rule = restricted.rule === '' ? source : `${restricted.rule} (${source})`;
  return { args: restricted.args ?? args, restricted, rule };
}

function checkArguments(row: Row, args: Args, validators: Readonly<Record<string, Validate>>): void {
  const op = row.op.name;
  const reason = unfit(args, { maxString: MAX_ARGUMENT });
  if (reason !== undefined) throw new StewardError('bad_args', { op, reason });
  const validate = validators[op];
  if (validate === undefined) throw new Error(`no validator for ${op}`);
  if (!validate(args)) throw new StewardError('bad_args', { op, reason: problemOf(validate) });
}
