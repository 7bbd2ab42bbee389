/**
 * Sends a signal to one process. The process is held by its directory in /proc while it is looked at, and its start time is
 * compared right before the signal, so that a number that was given to another process meanwhile is not signalled. Never init,
 * kernel threads, or steward and what it started.
 */
import { errnoOf, StewardError, systemError } from '../../errors.ts';
import { readAccounts } from '../../host/accounts.ts';
import { statHeld } from '../../host/descriptors.ts';
import { holdProcess, readHeld, refuseProtected, type ProcessFacts } from '../../host/held-process.ts';
import { SIGNALS, type Signal } from '../../host/signals.ts';
import type { PathSubject } from '../../host/subject.ts';
import type { Static } from '../../schema.ts';
import { operation } from '../operation.ts';

const args = {
  type: 'object',
  properties: {
    pid: { type: 'integer', minimum: 1 },
    signal: { type: 'string', enum: SIGNALS, default: 'SIGTERM', description: 'SIG and case optional' },
    dry_run: { type: 'boolean' },
  },
  required: ['pid'],
  additionalProperties: false,
} as const;
type Args = Static<typeof args>;

const result = {
  type: 'object',
  properties: {
    pid: { type: 'integer' },
    signal: { type: 'string', enum: SIGNALS },
    dry_run: { type: 'boolean' },
    /** Name and owner of the process, for people. */
    comm: { type: 'string' },
    owner: { type: 'string' },
  },
  required: ['pid', 'signal', 'dry_run', 'comm', 'owner'],
  additionalProperties: false,
} as const;
export type SignalResult = Static<typeof result>;

export const processesDelete = operation<Args, SignalResult>({
  name: 'processes/delete',
  args,
  kind: 'value',
  result,
  where: 'loop',
  // eslint-disable-next-line @typescript-eslint/require-await -- nothing may come between the last look and the signal
  async run({ pid, signal = 'SIGTERM', dry_run = false }, context) {
    // As root the restriction hands over the process that it judged.
    const held = context.subject ?? holdProcess(context.root, pid);
    try {
      const facts = readHeld(held, pid);
      refuseProtected(context.root, facts, context.guard);
      if (!dry_run) context.begin();
      requireSame(held, facts);
      send(facts, dry_run ? 0 : signal);
      const owner = readAccounts(context.root).userName(facts.realUid);
      return { pid, signal, dry_run, comm: facts.comm, owner };
    } finally {
      if (context.subject === undefined) held.close();
    }
  },
});

/**
 * The process that was judged, still of the account that it was judged by: one that has started a set-user-ID program meanwhile
 * is another's. Throws `no_such_process` and `signal_not_permitted`.
 */
function requireSame(held: PathSubject, { pid, started, realUid, effectiveUid }: ProcessFacts): void {
  const now = readHeld(held, pid);
  if (now.started !== started) throw new StewardError('no_such_process', { pid });
  const owner = held.object === undefined ? undefined : statHeld(held.object.fd).uid;
  if (now.realUid !== realUid || now.effectiveUid !== effectiveUid || owner !== held.object?.stat.uid) {
    throw new StewardError('signal_not_permitted', { pid });
  }
}

/** Signal 0 only asks whether a signal could be sent (kill(2)). */
function send({ pid }: ProcessFacts, signal: Signal | 0): void {
  try {
    process.kill(pid, signal);
  } catch (error) {
    if (errnoOf(error) === 'ESRCH') throw new StewardError('no_such_process', { pid }, { cause: error });
    throw systemError('signal_not_permitted', { pid }, error);
  }
}
