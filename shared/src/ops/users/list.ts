/** The accounts of this host with their groups, from the public files alone: the shadow files are never read. */
import { readAccounts, type Accounts } from '../../host/accounts.ts';
import { NOTHING, type Static } from '../../schema.ts';
import { operation } from '../operation.ts';

const args = {
  type: 'object',
  properties: { min_uid: { type: 'integer', minimum: 0, default: 0 } },
  required: [],
  additionalProperties: false,
} as const;

const text = { type: 'string' } as const;
const id = { type: 'integer', minimum: 0 } as const;
const record = {
  type: 'object',
  properties: {
    username: text,
    uid: id,
    gid: id,
    /** The number as text when no group has it. */
    group_name: text,
    comment: text,
    home_dir: text,
    shell: text,
    /** Groups that name the account as a member; its own group is told by `group_name`. */
    groups: { type: 'array', items: text },
  },
  required: ['username', 'uid', 'gid', 'group_name', 'comment', 'home_dir', 'shell', 'groups'],
  additionalProperties: false,
} as const;
export type UserRecord = Static<typeof record>;

export const usersList = operation<Static<typeof args>, Static<typeof NOTHING>, UserRecord>({
  name: 'users/list',
  args,
  kind: 'records',
  result: NOTHING,
  record,
  where: 'loop',
  async run({ min_uid = 0 }, context) {
    const accounts = readAccounts(context.root);
    const groups = groupsByMember(accounts);
    const chosen = accounts.users.filter(({ uid }) => uid >= min_uid).sort((a, b) => a.uid - b.uid);
    for (const { name, uid, gid, comment, home, loginShell } of chosen) {
      const group_name = accounts.groupName(gid);
      const others = [...(groups.get(name) ?? [])].filter((group) => group !== group_name);
      const account = { username: name, uid, gid, group_name, comment, home_dir: home, shell: loginShell, groups: others };
      await context.emit(account);
    }
    return {};
  },
});

/** Names of groups by the accounts that they list, in the order of the file. */
function groupsByMember(accounts: Accounts): Map<string, Set<string>> {
  const found = new Map<string, Set<string>>();
  for (const { name, members } of accounts.groups) {
    for (const member of members) {
      const own = found.get(member) ?? new Set();
      found.set(member, own.add(name));
    }
  }
  return found;
}
