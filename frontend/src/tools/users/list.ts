/** Catalogue entry: words and text of users/list. */
import { usersList, type UserRecord } from '@steward/shared/ops/users/list.ts';
import { mapped } from '../../render/batches.ts';
import { escapeName } from '../../render/names.ts';
import { joinLines } from '../../render/stream.ts';
import { tool } from '../tool.ts';

export const usersListTool = tool({
  name: 'users/list',
  title: 'List user accounts',
  description: 'List local accounts with groups, home and shell, sorted by uid; never reads shadow. Text or JSON.',
  op: usersList,
  formats: true,
  human: false,
  text: (outcome) => ({ text: joinLines(mapped(outcome.records(), lineOf)) }),
});

/** The way id(1) writes ids, with home and login shell. */
function lineOf({ username, uid, gid, group_name, home_dir, shell, groups }: UserRecord): string {
  const ids = `uid=${String(uid)} gid=${String(gid)}(${group_name})`;
  return escapeName(`${username} (${ids}) home=${home_dir} shell=${shell} groups=${groups.join(',')}`);
}
