/** The owner argument of files/chown: `user`, `user:group`, `:group` or `user:`, names or ids. Pure but for the accounts given. */
import { StewardError } from '../../errors.ts';
import { parseId, type Accounts } from '../../host/accounts.ts';

/** What is to change; undefined stays as it is. */
export interface Owner {
  readonly uid: number | undefined;
  readonly gid: number | undefined;
}

/** Throws `owner_invalid`, `no_such_user`, `no_such_group`. Names are looked up before they are read as numbers. */
export function parseOwner(text: string, accounts: Accounts): Owner {
  const [user = '', group, more] = text.split(':');
  if (more !== undefined || (user === '' && (group ?? '') === '')) throw new StewardError('owner_invalid', { value: text });
  const uid = user === '' ? undefined : parseUser(user, accounts);
  if (group === undefined) return { uid, gid: undefined };
  if (group !== '') return { uid, gid: parseGroup(group, accounts) };
  const login = accounts.user(user) ?? (uid === undefined ? undefined : accounts.userById(uid));
  if (login === undefined) throw new StewardError('no_such_user', { name: user });
  return { uid, gid: login.gid };
}

function parseUser(name: string, accounts: Accounts): number {
  const uid = accounts.user(name)?.uid ?? parseId(name);
  if (uid === undefined) throw new StewardError('no_such_user', { name });
  return uid;
}

function parseGroup(name: string, accounts: Accounts): number {
  const gid = accounts.group(name)?.gid ?? parseId(name);
  if (gid === undefined) throw new StewardError('no_such_group', { name });
  return gid;
}
