/** Searches a tree by name, type, age and size. Never follows a link, has no cap, and sends matches in byte order of their path. */
import { checkAbort } from '../../abort.ts';
import { systemError } from '../../errors.ts';
import { areAscii, byteString, namedPath } from '../../host/names.ts';
import type { RunPiece } from '../../host/sorted-runs.ts';
import { SortBudget, Sorter } from '../../host/sorting.ts';
import { NOTHING, type Static } from '../../schema.ts';
import type { TeamHelper, TeamLead } from '../../workers/team.ts';
import { operation, type OpContext } from '../operation.ts';
import { objectOf, subjectOf } from './common.ts';
import { parseFilters } from './find-filters.ts';
import { parseFound, search, searchGiven, type SearchOptions } from './find-walk.ts';

/** Memory for what was found, in bytes; more is sorted in a temporary file. */
const FOUND_BYTES = 2 * 1024 * 1024;
/** Keys in one part of a helper's report. */
const KEYS_AT_A_TIME = 1024;
/** Characters of records that are handed on at a time: whoever gets them holds them in several forms. */
const LINES_AT_A_TIME = 32 * 1024;

const args = {
  type: 'object',
  properties: {
    path: { type: 'string', description: 'absolute start', default: '/' },
    name: { type: 'string', maxLength: 1024, description: 'glob on base name, case-sensitive' },
    type: { type: 'string', maxLength: 64, description: 'f d l b c p s, comma list' },
    mtime: { type: 'string', maxLength: 64, description: 'days: +7 older, -1 newer, 7 exact' },
    size: { type: 'string', maxLength: 64, description: '+100M, -10k; units b c w k M G' },
    max_depth: { type: 'integer', minimum: 0, description: '1 = direct children; 0=none' },
  },
  required: [],
  additionalProperties: false,
} as const;
type Args = Static<typeof args>;

const record = {
  type: 'object',
  properties: {
    path: { type: 'string' },
    /** Bytes, as lstat(2) says. */
    size: { type: 'integer' },
    type: { type: 'string', enum: ['f', 'd', 'l', 'b', 'c', 'p', 's'] },
    path_base64: { type: 'string' },
  },
  required: ['path', 'size', 'type'],
  additionalProperties: false,
} as const;
export type FoundRecord = Static<typeof record>;
type Context = OpContext<FoundRecord>;

export const filesFind = operation<Args, Record<string, never>, FoundRecord>({
  name: 'files/find',
  args,
  kind: 'records',
  result: NOTHING,
  record,
  path: { need: 'object', lastLink: 'object', use: 'read', failure: 'read_directory', fallback: '/' },
  where: 'worker',
  async run(given, context) {
    const found = new Sorter({ budget: new SortBudget(FOUND_BYTES) });
    const team = context.team?.();
    try {
      await lookFor(given, context, found, team);
      if (team !== undefined) await takeReports(team, found);
      for (const keys of found.batches()) await tell(keys, context);
    } finally {
      team?.close();
      found.close();
    }
    return {};
  },
  async assist(given, context, team) {
    const found = new Sorter({ budget: new SortBudget(FOUND_BYTES) });
    try {
      await searchGiven(optionsOf(given, context, found), team, await team.join());
      if (team.isExpected) report(found, context, team);
    } finally {
      team.close();
      found.close();
    }
  },
});

async function lookFor(given: Args, context: Context, found: Sorter, team: TeamLead | undefined): Promise<void> {
  try {
    await search(optionsOf(given, context, found), team);
  } catch (error) {
    throw systemError('read_directory', { path: subjectOf(context).path }, error);
  }
}

function optionsOf(given: Args, context: Context, found: Sorter): SearchOptions {
  const subject = subjectOf(context);
  const { fd, stat } = objectOf(subject, 'read_directory');
  const { max_depth: depth = 0 } = given;
  return {
    fd,
    stat,
    path: byteString(subject.path.replace(/\/+$/, '') || '/'),
    realPath: subject.realPath,
    guard: context.guard,
    byPath: !context.privileged,
    context,
    filters: parseFilters(given, Date.now()),
    maxDepth: depth > 0 ? depth : Infinity,
    found,
  };
}

/** Sends the records of what was found. */
async function tell(keys: readonly string[], context: Context): Promise<void> {
  const plain = areAscii(keys);
  let lines = '';
  for (let at = 0; at < keys.length; at++) {
    const { path, type, size } = parseFound(keys[at] ?? '');
    const found: FoundRecord = plain ? { path, size, type } : named(path, size, type);
    lines += `${JSON.stringify(found)}\n`;
    if (lines.length < LINES_AT_A_TIME) continue;
    const sent = context.emitLines(lines);
    lines = '';
    if (sent !== undefined) await sent;
  }
  await context.emitLines(lines);
}

function named(bytes: string, size: number, type: FoundRecord['type']): FoundRecord {
  const { path, ...encoded } = namedPath(bytes);
  return { path, size, type, ...encoded };
}

/** What the helper found: keys, many at a time, or where there were too many the runs that it wrote. */
function report(found: Sorter, context: Context, team: TeamHelper): void {
  const look = (): void => checkAbort(context.signal);
  if (found.spilled) for (const piece of found.pieces()) team.report(piece, look);
  else for (const keys of found.batches(KEYS_AT_A_TIME)) team.report(keys, look);
  team.complete();
}

async function takeReports(team: TeamLead, found: Sorter): Promise<void> {
  for await (const part of team.reports()) {
    if (Array.isArray(part)) found.addAll(part as readonly string[]);
    else takePiece(part as RunPiece, found);
  }
}

/** The memory of a piece is given back at once: nothing else would make the engine look for it, and all would lie there together. */
function takePiece(piece: RunPiece, found: Sorter): void {
  found.take(piece);
  piece.bytes.buffer.transfer(0);
}
