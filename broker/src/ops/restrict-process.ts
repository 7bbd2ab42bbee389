/**
 * On which processes a grant holds: those of the accounts it names, by real and by effective uid, because a program that runs as
 * two accounts is no matter of one of them. The process that was judged is handed over held, so that its number cannot become
 * another's.
 */
import type { Grant } from '@steward/shared/config/types.ts';
import { StewardError } from '@steward/shared/errors.ts';
import { coveringOwner, readAccounts, type Accounts } from '@steward/shared/host/accounts.ts';
import { holdProcess, readHeld, refuseProtected, type ProcessFacts } from '@steward/shared/host/held-process.ts';
import type { ImmediateRestriction, Restricted, RestrictionInput } from '@steward/shared/catalogue/row.ts';

const ROOT = '/';

/** Tools with `signals` and `owners` in their grant; without a list any signal, any owner. */
export const bySignalAndOwner: ImmediateRestriction = {
  name: 'owners',
  says: 'the signal is in `signals`; the process is neither init, a kernel thread nor of steward; its real and its effective uid are in `owners`',
  decide(input) {
    const { args, grant, guard } = input;
    const signal = typeof args['signal'] === 'string' ? args['signal'] : 'SIGTERM';
    const named = signalRule(grant, signal);
    return onHeldProcess(input, (facts, accounts, pid) => {
      refuseProtected(ROOT, facts, guard);
      const { rule, strange } = ownersRule(grant.owners, facts, accounts);
      if (strange !== undefined) throw new StewardError('owner_restricted', { pid, owner: accounts.userName(strange) });
      return `${named}; ${rule}`;
    });
  },
};

/** Resource reads with a `process://` list; the list arrives as the `owners` of the grant. */
export const byResourceOwners: ImmediateRestriction = {
  name: 'resource owners',
  says: 'real and effective uid of the process are in the resource list; nothing of steward itself but what everybody may read',
  decide(input) {
    const { grant, user, tool, guard } = input;
    return onHeldProcess(input, (facts, accounts, pid) => {
      const { rule, strange } = ownersRule(grant.owners ?? [], facts, accounts);
      if (strange !== undefined) throw new StewardError('resource_not_granted', { user, uri: tool });
      const path = `/proc/${pid}/${tool.endsWith('/open_files') ? 'fd' : 'limits'}`;
      guard.check({ realPath: path, stat: undefined }, 'read', path);
      return rule;
    });
  },
};

/** Holds the process, judges it, and hands it over or closes it. `judge` gives the rule. */
function onHeldProcess(
  { args }: RestrictionInput,
  judge: (facts: ProcessFacts, accounts: Accounts, pid: number) => string,
): Restricted {
  const pid = Number(args['pid']);
  const subject = holdProcess(ROOT, pid);
  try {
    const facts = readHeld(subject, pid);
    const accounts = readAccounts(ROOT);
    const rule = judge(facts, accounts, pid);
    return { subject, object: `process ${pid} (${facts.comm}, ${accounts.userName(facts.realUid)})`, rule };
  } catch (error) {
    subject.close();
    throw error;
  }
}

/** Entries may leave out SIG. */
function signalRule({ signals }: Grant, signal: string): string {
  if (signals === undefined) return 'signals: any';
  const entry = signals.find((name) => [signal, signal.slice('SIG'.length)].includes(name.toUpperCase()));
  if (entry === undefined) throw new StewardError('signal_restricted', { signal });
  return `signals: ${entry}`;
}

/** What covers both uids, or the first that nothing covers. */
function ownersRule(
  entries: readonly string[] | undefined,
  { realUid, effectiveUid }: ProcessFacts,
  accounts: Accounts,
): { readonly rule: string; readonly strange?: number } {
  if (entries === undefined) return { rule: 'owners: any' };
  const [real, effective] = [realUid, effectiveUid].map((uid) => coveringOwner(entries, uid, accounts));
  if (real === undefined) return { rule: '', strange: realUid };
  if (effective === undefined) return { rule: '', strange: effectiveUid };
  return { rule: `owners: ${real === effective ? real : `${real}, ${effective}`}` };
}
