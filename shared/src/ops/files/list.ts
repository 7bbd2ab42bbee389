/** Lists one directory like `ls -l`. Links are shown, never followed; there is no cap on entries. */
import type { BigIntStats } from 'node:fs';
import { checkAbort } from '../../abort.ts';
import { errnoOf, systemError } from '../../errors.ts';
import { readAccounts, type Accounts } from '../../host/accounts.ts';
import { linkTarget, statEntry } from '../../host/descriptors.ts';
import { readDirectory } from '../../host/directory.ts';
import { modeString, octalMode, permissionsOf, typeName } from '../../host/modes.ts';
import { byteString, joinPath, namedPath, textOf } from '../../host/names.ts';
import { SortBudget, Sorter } from '../../host/sorting.ts';
import { localTime } from '../../host/times.ts';
import type { HeldObject, PathSubject } from '../../host/subject.ts';
import type { Static } from '../../schema.ts';
import { operation, type OpContext } from '../operation.ts';
import { errno, objectOf, subjectOf } from './common.ts';
import { nameOf, sortKey, type ListOrder } from './list-order.ts';
import { listArgs as args, listRecord as record, listResult as result } from './list-schema.ts';

type Args = Static<typeof args>;
export type ListRecord = Static<typeof record>;
export type ListSummary = Static<typeof result>;
type Context = OpContext<ListRecord>;

export const filesList = operation<Args, ListSummary, ListRecord>({
  name: 'files/list',
  args,
  kind: 'records',
  result,
  record,
  path: { need: 'object', lastLink: 'follow', use: 'read', failure: 'read_directory' },
  where: 'worker',
  async run(given, context) {
    const subject = subjectOf(context);
    const object = objectOf(subject, 'read_directory');
    const { fd, stat } = object;
    if (!stat.isDirectory()) throw systemError('read_directory', { path: subject.path }, errno('ENOTDIR'));
    const names = sortedNames(object, given, context, subject);
    const describe = describer(given, context, subject, fd);
    let blocks = 0n;
    try {
      for (const name of entryNames(given, names)) {
        checkAbort(context.signal);
        const status = statEntry(fd, name);
        blocks += status?.blocks ?? 0n;
        const sent = context.emit(describe(name, status));
        if (sent !== undefined) await sent;
      }
    } finally {
      names.close();
    }
    return { blocks_kib: Number(blocks / 2n) };
  },
});

function sortedNames({ fd, stat }: HeldObject, given: Args, context: Context, subject: PathSubject): Sorter {
  const order: ListOrder = {
    by: given.sort ?? 'name',
    reverse: given.reverse === true,
    directoriesFirst: given.dirs_first === true,
  };
  const sorter = new Sorter({ budget: new SortBudget(), descending: order.reverse });
  try {
    for (const entries of readDirectory(fd, stat.size)) {
      checkAbort(context.signal);
      for (const entry of entries) {
        const { name } = entry;
        if (given.all !== true && name.startsWith('.')) continue;
        sorter.add(sortKey(name, entry.isDirectory(), order.by === 'name' ? undefined : statEntry(fd, name), order));
      }
    }
    return sorter;
  } catch (error) {
    sorter.close();
    if (errnoOf(error) === undefined) throw error;
    throw systemError('read_directory', { path: subject.path }, error);
  }
}

/** The directory itself and the one above always come first. */
function* entryNames(given: Args, sorted: Sorter): Generator<string> {
  if (given.all === true) yield* ['.', '..'];
  for (const key of sorted.drain()) yield nameOf(key);
}

/** Makes records; what all of them need is looked up once. */
function describer(
  given: Args,
  context: Context,
  subject: PathSubject,
  fd: number,
): (name: string, stat: BigIntStats | undefined) => ListRecord {
  const accounts = readAccounts(context.root);
  const directory = byteString(subject.path);
  return (name, stat) => {
    const { path_base64 } = namedPath(joinPath(directory, name));
    const entry = {
      name: textOf(name),
      ...(stat === undefined ? UNKNOWN : describeStat(stat, accounts, given.numeric_ids === true)),
    };
    const target = entry.type === 'symlink' ? textOf(linkTarget(fd, name) ?? '') : '';
    return { ...entry, target, ...(path_base64 === undefined ? {} : { path_base64 }) };
  };
}

type Status = Omit<ListRecord, 'name' | 'target' | 'path_base64'>;

/** An entry that cannot be examined. */
const UNKNOWN: Status = {
  type: '?',
  mode: '??????????',
  mode_octal: '?',
  links: 0,
  owner: '?',
  group: '?',
  uid: 0,
  gid: 0,
  size: 0,
  modified: '?',
  is_dir: false,
};

function describeStat(stat: BigIntStats, accounts: Accounts, numeric: boolean): Status {
  const uid = Number(stat.uid);
  const gid = Number(stat.gid);
  const isDevice = stat.isCharacterDevice() || stat.isBlockDevice();
  return {
    type: typeName(stat),
    mode: modeString(Number(stat.mode)),
    mode_octal: octalMode(permissionsOf(stat)),
    links: Number(stat.nlink),
    owner: numeric ? String(uid) : accounts.userName(uid),
    group: numeric ? String(gid) : accounts.groupName(gid),
    uid,
    gid,
    size: Number(stat.size),
    modified: localTime(stat.mtimeMs),
    is_dir: stat.isDirectory(),
    ...(isDevice ? { device: deviceNumbers(stat.rdev) } : {}),
  };
}

/** `major, minor` (gnu_dev_major(3)). */
function deviceNumbers(device: bigint): string {
  const major = ((device >> 8n) & 0xfffn) | ((device >> 32n) & ~0xfffn);
  const minor = (device & 0xffn) | ((device >> 12n) & ~0xffn & 0xffff_ffffn);
  return `${major}, ${minor}`;
}
