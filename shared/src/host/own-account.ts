/** Which OS account a user of steward has, as users.yaml and passwd(5) say. Decides nothing. */
import type { UserEntry } from '../config/types.ts';
import { readAccounts, type Accounts, type PasswdEntry } from './accounts.ts';

/** The user's account; one with uid 0, or with another uid than users.yaml says, counts as missing. */
export function ownAccount(
  { account, account_uid: uid }: Pick<UserEntry, 'account' | 'account_uid'>,
  accounts: Accounts = readAccounts('/'),
): PasswdEntry | undefined {
  const entry = accounts.user(account);
  return entry === undefined || entry.uid === 0 || (uid !== undefined && uid !== entry.uid) ? undefined : entry;
}
