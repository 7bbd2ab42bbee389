/** Lists one directory like `ls -l`. Links are shown, never followed; there is no cap on entries. */
import type { BigIntStats } from 'node:fs';
import { checkAbort } from '../../abort.ts';
import { errnoOf, systemError } from '../../errors.ts';
import { readAccounts, type Accounts } from '../../host/accounts.ts';
import { linkTarget, statEntry } from '../../host/descriptors.ts';
import { readDirectory, readNames } from '../../host/directory.ts';
import { isType, modeString, octalMode, S_IFBLK, S_IFCHR, S_IFDIR, typeName } from '../../host/modes.ts';
import { byteString, isAscii, joinPath, namedPath, textOf } from '../../host/names.ts';
import { SortBudget, Sorter } from '../../host/sorting.ts';
import { localTime } from '../../host/times.ts';
import type { HeldObject, PathSubject } from '../../host/subject.ts';
import { remembering } from '../../remember.ts';
import type { Static } from '../../schema.ts';
import { operation, type OpContext } from '../operation.ts';
import { errno, objectOf, subjectOf } from './common.ts';
import { nameOf, sortKey, type ListOrder } from './list-order.ts';
import { listArgs as args, listRecord as record, listResult as result } from './list-schema.ts';

/** Entries between two looks at the signal. */
const ENTRIES_PER_LOOK = 256;

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
    let blocks = 0;
    let told = 0;
    try {
      for (const name of entryNames(given, names)) {
        if (told++ % ENTRIES_PER_LOOK === 0) checkAbort(context.signal);
        const status = statEntry(fd, name);
        blocks += Number(status?.blocks ?? 0);
        const sent = context.emit(describe(name, status));
        if (sent !== undefined) await sent;
      }
    } finally {
      names.close();
    }
    return { blocks_kib: Math.floor(blocks / 2) };
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
    const add = (name: string, isDirectory: boolean): void => {
      if (given.all !== true && name.startsWith('.')) return;
      sorter.add(sortKey(name, isDirectory, order.by === 'name' ? undefined : statEntry(fd, name), order));
    };
    if (order.directoriesFirst) {
      for (const entries of readDirectory(fd, stat.size)) {
        checkAbort(context.signal);
        for (const entry of entries) add(entry.name, entry.isDirectory());
      }
    } else {
      for (const names of readNames(fd, stat.size)) {
        checkAbort(context.signal);
        for (const name of names) add(name, false);
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
  const describe = statusDescriber(readAccounts(context.root), given.numeric_ids === true);
  const directory = byteString(subject.path);
  const isPlainDirectory = isAscii(directory);
  return (name, stat) => {
    const plain = isAscii(name);
    const status = stat === undefined ? UNKNOWN : describe(stat);
    const target = status.type === 'symlink' ? textOf(linkTarget(fd, name) ?? '') : '';
    const entry = { name: plain ? name : textOf(name), ...status, target };
    if (plain && isPlainDirectory) return entry;
    const { path_base64 } = namedPath(joinPath(directory, name));
    return path_base64 === undefined ? entry : { ...entry, path_base64 };
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

function statusDescriber(accounts: Accounts, numeric: boolean): (stat: BigIntStats) => Status {
  const kindOf = remembering(describeMode);
  const timeOf = remembering((seconds: number) => localTime(seconds * 1000));
  return (stat) => {
    const [uid, gid] = [Number(stat.uid), Number(stat.gid)];
    const { type, mode, mode_octal, is_dir, isDevice } = kindOf(Number(stat.mode));
    const status: Status = {
      type,
      mode,
      mode_octal,
      links: Number(stat.nlink),
      owner: numeric ? String(uid) : accounts.userName(uid),
      group: numeric ? String(gid) : accounts.groupName(gid),
      uid,
      gid,
      size: Number(stat.size),
      modified: timeOf(Math.floor(Number(stat.mtimeMs) / 1000)),
      is_dir,
    };
    return isDevice ? { ...status, device: deviceNumbers(stat.rdev) } : status;
  };
}

function describeMode(bits: number): Pick<Status, 'type' | 'mode' | 'mode_octal' | 'is_dir'> & { readonly isDevice: boolean } {
  return {
    type: typeName(bits),
    mode: modeString(bits),
    mode_octal: octalMode(bits),
    is_dir: isType(bits, S_IFDIR),
    isDevice: isType(bits, S_IFCHR) || isType(bits, S_IFBLK),
  };
}

/** `major, minor` (gnu_dev_major(3)). */
function deviceNumbers(device: bigint): string {
  const major = ((device >> 8n) & 0xfffn) | ((device >> 32n) & ~0xfffn);
  const minor = (device & 0xffn) | ((device >> 12n) & ~0xffn & 0xffff_ffffn);
  return `${major}, ${minor}`;
}
