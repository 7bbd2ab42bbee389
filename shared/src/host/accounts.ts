/** Accounts of this host, from /etc/passwd and /etc/group alone (passwd(5), group(5)); the shadow files are never read. */
import { readFileSync, statSync } from 'node:fs';
import { join } from 'node:path';

/** One line of passwd(5). */
export interface PasswdEntry {
  readonly name: string;
  readonly uid: number;
  readonly gid: number;
  readonly comment: string;
  readonly home: string;
  readonly loginShell: string;
}

/** One line of group(5). */
export interface GroupEntry {
  readonly name: string;
  readonly gid: number;
  readonly members: readonly string[];
}

/** Parses passwd(5); malformed lines are skipped, as the C library does. */
export function parsePasswd(text: string): PasswdEntry[] {
  const entries: PasswdEntry[] = [];
  for (const line of text.split('\n')) {
    const [name, , uid, gid, comment = '', home = '', loginShell = ''] = line.split(':');
    const ids = { uid: parseId(uid), gid: parseId(gid) };
    if (!isName(name) || ids.uid === undefined || ids.gid === undefined) continue;
    entries.push({ name, uid: ids.uid, gid: ids.gid, comment, home, loginShell });
  }
  return entries;
}

/** Parses group(5); malformed lines are skipped. */
export function parseGroup(text: string): GroupEntry[] {
  const entries: GroupEntry[] = [];
  for (const line of text.split('\n')) {
    const [name, , id, members = ''] = line.split(':');
    const gid = parseId(id);
    if (isName(name) && gid !== undefined)
      entries.push({ name, gid, members: members.split(',').filter((member) => member !== '') });
  }
  return entries;
}

function isName(name: string | undefined): name is string {
  return name !== undefined && name !== '' && !name.startsWith('#');
}

/** A uid or gid as decimal text; undefined when it is none (uid_t is 32 bits, its highest value means "unchanged"). */
export function parseId(text: string | undefined): number | undefined {
  if (text === undefined || !/^\d{1,10}$/.test(text)) return undefined;
  const id = Number(text);
  return id < 0xffff_ffff ? id : undefined;
}

/** Both files at one moment, with look-ups; where a name or id occurs twice the first line counts. */
export class Accounts {
  readonly users: readonly PasswdEntry[];
  readonly groups: readonly GroupEntry[];
  readonly #userNames = new Map<number, string>();
  readonly #groupNames = new Map<number, string>();
  readonly #usersByName = new Map<string, PasswdEntry>();
  readonly #groupsByName = new Map<string, GroupEntry>();

  constructor(users: readonly PasswdEntry[], groups: readonly GroupEntry[]) {
    this.users = users;
    this.groups = groups;
    for (const user of users.toReversed()) {
      this.#userNames.set(user.uid, user.name);
      this.#usersByName.set(user.name, user);
    }
    for (const group of groups.toReversed()) {
      this.#groupNames.set(group.gid, group.name);
      this.#groupsByName.set(group.name, group);
    }
  }

  /** Name of a user, or its number as text. */
  userName(uid: number): string {
    return this.#userNames.get(uid) ?? String(uid);
  }

  /** Name of a group, or its number as text. */
  groupName(gid: number): string {
    return this.#groupNames.get(gid) ?? String(gid);
  }

  user(name: string): PasswdEntry | undefined {
    return this.#usersByName.get(name);
  }

  userById(uid: number): PasswdEntry | undefined {
    return this.#usersByName.get(this.#userNames.get(uid) ?? '');
  }

  group(name: string): GroupEntry | undefined {
    return this.#groupsByName.get(name);
  }
}

/** The entry of a list of account names and uids that covers a uid; `*` covers every one. */
export function coveringOwner(entries: readonly string[], uid: number, accounts: Accounts): string | undefined {
  return entries.find((entry) => entry === '*' || (accounts.user(entry)?.uid ?? parseId(entry)) === uid);
}

const cache = new Map<string, { readonly stamp: string; readonly accounts: Accounts }>();

/** The accounts of the host (`root` is `/` but in tests); parsed anew only when a file has changed. A missing file is empty. */
export function readAccounts(root: string): Accounts {
  const passwd = join(root, 'etc/passwd');
  const group = join(root, 'etc/group');
  const stamp = stampOf(passwd) + stampOf(group);
  const cached = cache.get(root);
  if (cached?.stamp === stamp) return cached.accounts;
  const accounts = new Accounts(parsePasswd(textOf(passwd)), parseGroup(textOf(group)));
  cache.set(root, { stamp, accounts });
  return accounts;
}

function stampOf(path: string): string {
  const stat = statSync(path, { bigint: true, throwIfNoEntry: false });
  return stat === undefined ? '-' : `${stat.dev}:${stat.ino}:${stat.mtimeNs}:${stat.size};`;
}

function textOf(path: string): string {
  try {
    return readFileSync(path, 'utf8');
  } catch {
    return '';
  }
}
