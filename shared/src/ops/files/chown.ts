/** Changes owner and group of an object or of a tree. Links are never followed; a new owner needs root. */
import { chownSync } from 'node:fs';
import { StewardError, systemError } from '../../errors.ts';
import { readAccounts, type Accounts } from '../../host/accounts.ts';
import { heldPath, statHeld } from '../../host/descriptors.ts';
import type { HeldObject } from '../../host/subject.ts';
import type { Static } from '../../schema.ts';
import { operation, type OpContext } from '../operation.ts';
import { changeSummary, changeTree, type Change, type ChangeSummary } from './change-tree.ts';
import { errno } from './common.ts';
import { parseOwner, type Owner } from './owner.ts';

/** chown(2): leave this id as it is. */
const UNCHANGED = -1;

const args = {
  type: 'object',
  properties: {
    path: { type: 'string', description: 'absolute path' },
    owner: { type: 'string', maxLength: 1024, description: 'user[:group] or :group' },
    recursive: { type: 'boolean' },
    dry_run: { type: 'boolean' },
  },
  required: ['path', 'owner'],
  additionalProperties: false,
} as const;
type Args = Static<typeof args>;

const record = {
  type: 'object',
  properties: {
    path: { type: 'string' },
    path_base64: { type: 'string' },
    /** `user:group` before and after, ids where there is no name; empty for what could not be changed. */
    old: { type: 'string' },
    new: { type: 'string' },
    changed: { type: 'boolean' },
    error: { type: 'string' },
    skipped: { type: 'string', enum: ['symlink'] },
  },
  required: ['path', 'old', 'new', 'changed'],
  additionalProperties: false,
} as const;
export type ChownRecord = Static<typeof record>;

type Words = Pick<ChownRecord, 'old' | 'new'>;

/** One call: what is wanted, and how ids are named. */
interface Task {
  readonly owner: Owner;
  readonly accounts: Accounts;
  readonly dry: boolean;
  readonly context: OpContext<ChownRecord>;
}

export const filesChown = operation<Args, ChangeSummary, ChownRecord>({
  name: 'files/chown',
  args,
  kind: 'records',
  result: changeSummary,
  record,
  path: { need: 'object', lastLink: 'refuse', noLinks: true, use: 'write', failure: 'change_owner' },
  where: ({ recursive }) => (recursive === true ? 'worker' : 'loop'),
  async run({ owner, recursive, dry_run }, context) {
    const accounts = readAccounts(context.root);
    const task: Task = { owner: parseOwner(owner, accounts), accounts, dry: dry_run === true, context };
    const counts = await changeTree(context, {
      recursive: recursive === true,
      none: { old: '', new: '' },
      change: (object, path) => changeOwner(object, path, task),
    });
    return task.dry ? { ...counts, dry_run: true } : counts;
  },
});

function changeOwner(object: HeldObject, path: string, task: Task): Change<Words> {
  const { owner, accounts, dry } = task;
  const before = { uid: Number(object.stat.uid), gid: Number(object.stat.gid) };
  const wanted = { uid: owner.uid ?? before.uid, gid: owner.gid ?? before.gid };
  if (!task.context.privileged && wanted.uid !== before.uid) throw new StewardError('owner_needs_root');
  const changed = wanted.uid !== before.uid || wanted.gid !== before.gid;
  const old = nameOf(before, accounts);
  if (!changed) return { changed, words: { old, new: old } };
  const after = dry ? predict(before.uid, wanted, path, task) : apply(object, path, task);
  return { changed, words: { old, new: nameOf(after, accounts) } };
}

/** Unprivileged, the kernel lets an owner give a file to a group of his own only (chown(2)). */
function predict(owner: number, wanted: Ids, path: string, { context }: Task): Ids {
  const groups = [process.getegid?.(), ...(process.getgroups?.() ?? [])];
  const user = process.geteuid?.();
  if (context.privileged || user === 0 || (user === owner && groups.includes(wanted.gid))) return wanted;
  throw systemError('change_owner', { path }, errno('EPERM'));
}

interface Ids {
  readonly uid: number;
  readonly gid: number;
}

function apply(object: HeldObject, path: string, { owner, context }: Task): Ids {
  context.begin();
  try {
    chownSync(heldPath(object.fd), owner.uid ?? UNCHANGED, owner.gid ?? UNCHANGED);
    const { uid, gid } = statHeld(object.fd);
    return { uid: Number(uid), gid: Number(gid) };
  } catch (error) {
    throw systemError('change_owner', { path }, error);
  }
}

function nameOf({ uid, gid }: Ids, accounts: Accounts): string {
  return `${accounts.userName(uid)}:${accounts.groupName(gid)}`;
}
