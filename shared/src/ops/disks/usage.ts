/**
 * What a tree occupies, like du(1): each file once however many names it has, links not followed, what may not be read counting
 * nothing. Lists directories and files, largest first, whatever their number.
 */
import { checkAbort } from '../../abort.ts';
import { systemError } from '../../errors.ts';
import { compileGlob } from '../../host/glob.ts';
import { byteString, namedPath } from '../../host/names.ts';
import { SortBudget, Sorter } from '../../host/sorting.ts';
import type { Static } from '../../schema.ts';
import { objectOf, subjectOf } from '../files/common.ts';
import { operation, type OpContext } from '../operation.ts';
import { bySize, parseKey, type UsageKind } from './usage-order.ts';
import { addUp, addUpGiven, joinSums, type PartialSum, type UsageOptions } from './usage-walk.ts';

const BLOCK = 512n;
/** Memory for what is listed, in bytes; more is sorted in a temporary file. Less than usual, because whole paths are kept. */
const LISTED_BYTES = 16 * 1024 * 1024;
/** Bytes; what is nested deeper has no usable path (PATH_MAX is 4096) and counts without being listed. */
const LONGEST_LISTED = 60_000;

const args = {
  type: 'object',
  properties: {
    path: { type: 'string', description: 'absolute directory' },
    max_depth: { type: 'integer', minimum: 0, description: '0 = total only' },
    all: { type: 'boolean', description: 'list files too' },
    apparent_size: { type: 'boolean', description: 'sizes, not blocks' },
    exclude: { type: 'array', items: { type: 'string' }, maxItems: 256, description: 'globs; with / = whole path' },
    one_file_system: { type: 'boolean' },
    separate_dirs: { type: 'boolean', description: 'without sub-directories' },
    threshold: { type: 'integer', description: 'bytes; negative hides larger' },
  },
  required: ['path'],
  additionalProperties: false,
} as const;
type Args = Static<typeof args>;

const record = {
  type: 'object',
  properties: {
    kind: { type: 'string', enum: ['file', 'directory'] },
    path: { type: 'string' },
    /** Bytes. */
    size: { type: 'integer', minimum: 0 },
    path_base64: { type: 'string' },
  },
  required: ['kind', 'path', 'size'],
  additionalProperties: false,
} as const;
export type UsageRecord = Static<typeof record>;
type Context = OpContext<UsageRecord>;

const result = {
  type: 'object',
  properties: {
    path: { type: 'string' },
    /** Bytes. */
    total_size: { type: 'integer', minimum: 0 },
    /** Records whose path is not UTF-8. */
    undecodable: { type: 'integer', minimum: 0 },
  },
  required: ['path', 'total_size', 'undecodable'],
  additionalProperties: false,
} as const;
export type UsageSummary = Static<typeof result>;

/** Files come before directories. */
export const disksUsage = operation<Args, UsageSummary, UsageRecord>({
  name: 'disks/usage',
  args,
  kind: 'records',
  result,
  record,
  path: { need: 'object', lastLink: 'follow', use: 'read', failure: 'access_path' },
  where: 'worker',
  async run(given, context) {
    const sorter = new Sorter({ budget: new SortBudget(LISTED_BYTES) });
    try {
      const total_size = await measure(given, context, sorter);
      const undecodable = await send(sorter, context);
      return { path: subjectOf(context).path, total_size, undecodable };
    } finally {
      sorter.close();
    }
  },
  async assist(given, context, team) {
    try {
      const sum = await addUpGiven(optionsOf(given, context, undefined), team, await team.join());
      if (!team.isExpected) return;
      team.report(sum, () => checkAbort(context.signal));
      team.complete();
    } finally {
      team.close();
    }
  },
});

async function measure(given: Args, context: Context, sorter: Sorter): Promise<number> {
  const subject = subjectOf(context);
  const { stat } = objectOf(subject, 'access_path');
  if (!stat.isDirectory()) return Number(given.apparent_size === true ? stat.size : stat.blocks * BLOCK);
  const isWhole = (given.max_depth ?? 0) === 0 && given.all !== true && given.separate_dirs !== true;
  const team = isWhole ? context.team?.() : undefined;
  try {
    if (team === undefined) return addUp(optionsOf(given, context, sorter));
    const sums = [await addUpGiven(optionsOf(given, context, undefined), team, [])];
    for await (const sum of team.reports()) sums.push(sum as PartialSum);
    return joinSums(sums);
  } catch (error) {
    throw systemError('access_path', { path: subject.path }, error);
  } finally {
    team?.close();
  }
}

/** Without a sorter nothing is listed. */
function optionsOf(given: Args, context: Context, sorter: Sorter | undefined): UsageOptions {
  const subject = subjectOf(context);
  const { fd } = objectOf(subject, 'access_path');
  const { max_depth: depth = 0, all, threshold = 0, exclude = [] } = given;
  const list = (kind: UsageKind, path: string, size: number): void => {
    if (path.length > LONGEST_LISTED) return;
    if (threshold < 0 ? size <= -threshold : size >= threshold) sorter?.add(bySize(kind, path, size));
  };
  return {
    fd,
    path: byteString(subject.path.replace(/\/+$/, '') || '/'),
    realPath: subject.realPath,
    guard: context.guard,
    byPath: !context.privileged,
    context,
    apparent: given.apparent_size === true,
    oneFileSystem: given.one_file_system === true,
    separate: given.separate_dirs === true,
    excludes: exclude.length === 0 ? undefined : excluding(exclude),
    onFile: all === true ? (path, size) => list('file', path, size) : undefined,
    onDirectory: (path, size, level) => {
      if (level <= depth) list('directory', path, size);
    },
  };
}

/** Globs without a slash are for names, the others for whole paths. */
function excluding(globs: readonly string[]): (name: string, path: string) => boolean {
  const tests = globs.map((glob) => ({ whole: glob.includes('/'), matches: compileGlob(glob) }));
  return (name, path) => tests.some(({ whole, matches }) => matches(whole ? path : name));
}

async function send(sorter: Sorter, context: Context): Promise<number> {
  let undecodable = 0;
  for (const key of sorter.drain()) {
    const { kind, path: bytes, size } = parseKey(key);
    const { path, ...encoded } = namedPath(bytes);
    if (encoded.path_base64 !== undefined) undecodable++;
    const sent = context.emit({ kind, path, size, ...encoded });
    if (sent !== undefined) await sent;
  }
  return undecodable;
}
