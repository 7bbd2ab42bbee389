/**
 * Whose crontab a call is about, and whether the caller may see or change it. The caller's own is the one of the OS account in
 * users.yaml; any other needs a rule by name. Whoever edits a crontab of uid 0 is root, so that is never permitted.
 */
import { StewardError } from '@steward/shared/errors.ts';
import { readAccounts } from '@steward/shared/host/accounts.ts';
import { ownAccount } from '@steward/shared/host/own-account.ts';
import type { Restricted, Restriction, RestrictionCall } from '@steward/shared/catalogue/row.ts';

const ACCOUNT = /^[A-Za-z_][A-Za-z0-9_.-]{0,63}$/;

/** cron/manage. */
export const byCrontab: Restriction = {
  name: 'users',
  says: 'the own crontab (`account` in users.yaml) is free; others need `privileged`, an allowed grant and a rule in `users` with `view` or, to write, `edit`; crontabs of uid 0 are never written; a list names only accounts with a rule',
  decide(call) {
    const { user: typed, privileged = false } = call.args as { readonly user?: string; readonly privileged?: boolean };
    if (typed === undefined && privileged && !call.writes) return decideList(call);
    return decideAccount(call, typed, privileged);
  },
};

/** Reads of `crontab://`, which follow the grant of cron/manage. */
export const byCrontabResource: Restriction = {
  name: 'users',
  says: 'the own crontab (`account` in users.yaml) is free; others need an allowed cron/manage grant and a rule in `users` with `view`',
  decide: (call) => decideAccount(call, (call.args as { readonly user: string }).user, true),
};

function decideAccount(call: RestrictionCall, typed: string | undefined, privileged: boolean): Restricted {
  if (typed !== undefined && !ACCOUNT.test(typed)) throw new StewardError('account_invalid', { account: typed });
  const own = ownAccount(call.account);
  if (typed === undefined && own === undefined) throw new StewardError('account_none', { user: call.user });
  const name = typed ?? own?.name ?? '';
  const rule = name === own?.name ? 'own account' : ruleFor(call, name, privileged);
  return { object: `crontab of ${name}`, rule, args: { ...call.args, user: name } };
}

/** The rule that permits the call on another account's crontab. Throws the refusal. */
function ruleFor({ grant, user, writes }: RestrictionCall, account: string, privileged: boolean): string {
  if (!privileged) throw new StewardError('crontab_needs_root', { account });
  if (!grant.allowed) throw new StewardError('crontab_not_granted', { user });
  const entry = readAccounts('/').user(account);
  if (entry === undefined) throw new StewardError('account_unknown', { account });
  if (writes && entry.uid === 0) throw new StewardError('crontab_root');
  const rules = grant.users ?? {};
  const rule = Object.hasOwn(rules, account) ? rules[account] : undefined;
  if (writes ? rule?.edit === true : rule?.view === true) return `users: ${account}`;
  if (!writes) throw new StewardError('crontab_view_restricted', { user, account });
  throw new StewardError(rule?.view === true ? 'crontab_view_only' : 'crontab_edit_restricted', { user, account });
}

function decideList(call: RestrictionCall): Restricted {
  const { grant, user } = call;
  if (!grant.allowed) throw new StewardError('crontab_list_not_granted', { user });
  const known = readAccounts('/');
  const viewable = Object.entries(grant.users ?? {}).filter(([name, { view }]) => view && known.user(name) !== undefined);
  const own = ownAccount(call.account);
  const names = new Set([...viewable.map(([name]) => name), ...(own === undefined ? [] : [own.name])]);
  return { object: 'crontabs', rule: 'users', accounts: [...names].sort() };
}
