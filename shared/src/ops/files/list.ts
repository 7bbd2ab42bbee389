/** Lists one directory like `ls -l`. Links are shown, never followed; there is no cap on entries. */
import type { BigIntStats } from 'node:fs';
import { checkAbort } from '../../abort.ts';
import { errnoOf, systemError } from '../../errors.ts';
import { readAccounts } from '../../host/accounts.ts';
import { entryPrefix, heldPath, linkTarget, statBelow } from '../../host/descriptors.ts';
import { readDirectory, readNames } from '../../host/directory.ts';
import { isType, modeString, octalMode, S_IFBLK, S_IFCHR, S_IFDIR, typeName } from '../../host/modes.ts';
import { areAscii, byteString, isAscii, joinPath, namedPath, textOf } from '../../host/names.ts';
import { SortBudget, Sorter } from '../../host/sorting.ts';
import { localTime } from '../../host/times.ts';
import type { HeldObject, PathSubject } from '../../host/subject.ts';
import { remembering } from '../../remember.ts';
import type { Static } from '../../schema.ts';
import { helpInOrder, workInOrder } from '../../workers/in-order.ts';
import { MAY_SHARE } from '../../workers/team.ts';
import { operation, type OpContext } from '../operation.ts';
import { errno, objectOf, subjectOf } from './common.ts';
import { nameKeys, namesOf, sortKey, withoutHidden, type ListOrder } from './list-order.ts';
import { listArgs as args, listRecord as record, listResult as result } from './list-schema.ts';

/** Entries looked at without a pause. */
const AT_A_TIME = 256;

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
    if (!object.stat.isDirectory()) throw systemError('read_directory', { path: subject.path }, errno('ENOTDIR'));
    const names = sortedNames(object, given, context, subject);
    let blocks = 0;
    const look = (): void => checkAbort(context.signal);
    const hand = (part: Told): void | Promise<void> => {
      blocks += part.blocks;
      return context.emitLines(part.lines);
    };
    try {
      await workInOrder(entryNames(given, names), teller(given, context), hand, look, MAY_SHARE ? context.team : undefined);
    } finally {
      names.close();
    }
    return { blocks_kib: Math.floor(blocks / 2) };
  },
  async assist(given, context, team) {
    try {
      await helpInOrder(team, teller(given, context), () => checkAbort(context.signal));
    } finally {
      team.close();
    }
  },
});

/** Some entries in words: their records as JSON lines, and the units of 512 bytes that they occupy. */
interface Told {
  readonly lines: string;
  readonly blocks: number;
}

/** Looks at some entries at a time and puts them into words. */
function teller(given: Args, context: Context): (names: readonly string[]) => Told {
  const subject = subjectOf(context);
  const { fd } = objectOf(subject, 'read_directory');
  const look = lookerAt(fd, subject.realPath, context.privileged);
  const describe = describer(given, context, subject, fd);
  return (names) => {
    checkAbort(context.signal);
    const allPlain = areAscii(names);
    let lines = '';
    let blocks = 0;
    for (let at = 0; at < names.length; at++) {
      const name = names[at] ?? '';
      const plain = allPlain || isAscii(name);
      const stat = look(name, plain);
      if (stat !== undefined) blocks += Number(stat.blocks);
      lines += `${JSON.stringify(describe(name, plain, stat))}\n`;
    }
    return { lines, blocks };
  };
}

/** Looks at an entry; undefined when it is gone or may not be examined. `plain`: its name is ASCII. */
type Look = (name: string, plain: boolean) => BigIntStats | undefined;

function lookerAt(fd: number, realPath: string, privileged: boolean): Look {
  const prefix = entryPrefix(heldPath(fd), realPath, !privileged);
  return (name, plain) => statBelow(prefix, name, plain);
}

function sortedNames({ fd, stat }: HeldObject, given: Args, context: Context, subject: PathSubject): Sorter {
  const look = lookerAt(fd, subject.realPath, context.privileged);
  const order: ListOrder = {
    by: given.sort ?? 'name',
    reverse: given.reverse === true,
    directoriesFirst: given.dirs_first === true,
  };
  const sorter = new Sorter({ budget: new SortBudget(), descending: order.reverse });
  const add = (name: string, isDirectory: boolean): void => {
    const status = order.by === 'name' ? undefined : look(name, isAscii(name));
    sorter.add(sortKey(name, isDirectory, status, order));
  };
  try {
    if (order.directoriesFirst) {
      for (const entries of readDirectory(heldPath(fd), stat.size)) {
        checkAbort(context.signal);
        for (const entry of entries) if (given.all === true || !entry.name.startsWith('.')) add(entry.name, entry.isDirectory());
      }
      return sorter;
    }
    const batches = readNames(heldPath(fd), stat.size);
    for (const batch of batches) {
      checkAbort(context.signal);
      const names = given.all === true ? batch : withoutHidden(batch);
      if (order.by === 'name') for (const keys of nameKeys(names, Array.isArray(batches))) sorter.addAll(keys);
      else for (const name of names) add(name, false);
    }
    return sorter;
  } catch (error) {
    sorter.close();
    if (errnoOf(error) === undefined) throw error;
    throw systemError('read_directory', { path: subject.path }, error);
  }
}

/** The directory itself and the one above always come first. Some at a time. */
function* entryNames(given: Args, sorted: Sorter): Generator<readonly string[]> {
  if (given.all === true) yield ['.', '..'];
  for (const keys of sorted.batches(AT_A_TIME)) yield namesOf(keys);
}

/** Makes records; what all of them need is looked up once. `plain`: the name is ASCII. */
function describer(
  given: Args,
  context: Context,
  subject: PathSubject,
  fd: number,
): (name: string, plain: boolean, stat: BigIntStats | undefined) => ListRecord {
  const accounts = readAccounts(context.root);
  const numeric = given.numeric_ids === true;
  const kindOf = remembering(describeMode);
  const ownerOf = remembering((uid: number) => (numeric ? String(uid) : accounts.userName(uid)));
  const groupOf = remembering((gid: number) => (numeric ? String(gid) : accounts.groupName(gid)));
  const timeOf = remembering((seconds: number) => localTime(seconds * 1000));
  const directory = byteString(subject.path);
  const isPlainDirectory = isAscii(directory);
  return (name, plain, stat) => {
    if (stat === undefined) return withPath({ name: textOf(name), ...UNKNOWN }, directory, name);
    const kind = kindOf(Number(stat.mode));
    const uid = Number(stat.uid);
    const gid = Number(stat.gid);
    const entry: ListRecord = {
      name: plain ? name : textOf(name),
      type: kind.type,
      mode: kind.mode,
      mode_octal: kind.mode_octal,
      links: Number(stat.nlink),
      owner: ownerOf(uid),
      group: groupOf(gid),
      uid,
      gid,
      size: Number(stat.size),
      modified: timeOf(Math.floor(Number(stat.mtimeMs) / 1000)),
      is_dir: kind.is_dir,
      target: kind.type === 'symlink' ? textOf(linkTarget(fd, name) ?? '') : '',
    };
    if (plain && isPlainDirectory && !kind.isDevice) return entry;
    return withPath(kind.isDevice ? withDevice(entry, stat.rdev) : entry, directory, name);
  };
}

/** The exact bytes beside a path that text does not say in full. */
function withPath(entry: ListRecord, directory: string, name: string): ListRecord {
  const { path_base64 } = namedPath(joinPath(directory, name));
  return path_base64 === undefined ? entry : { ...entry, path_base64 };
}

function withDevice({ target, ...status }: ListRecord, device: bigint): ListRecord {
  return { ...status, device: deviceNumbers(device), target };
}

/** An entry that cannot be examined. */
const UNKNOWN: Omit<ListRecord, 'name' | 'path_base64'> = {
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
  target: '',
};

interface Kind extends Pick<ListRecord, 'type' | 'mode' | 'mode_octal' | 'is_dir'> {
  readonly isDevice: boolean;
}

function describeMode(bits: number): Kind {
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
