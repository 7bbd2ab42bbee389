/** Searches a tree by name, type, age and size. Never follows a link, has no cap, and sends matches in byte order of their path. */
import type { BigIntStats } from 'node:fs';
import { systemError } from '../../errors.ts';
import { isWithin } from '../../host/clean.ts';
import { statEntry, statHeld } from '../../host/descriptors.ts';
import { findType } from '../../host/modes.ts';
import { byteString, namedPath, textOf } from '../../host/names.ts';
import { walkTree, type TreeEntry } from '../../host/tree.ts';
import type { Static } from '../../schema.ts';
import { operation, type OpContext } from '../operation.ts';
import { objectOf, subjectOf } from './common.ts';
import { parseFilters, type FindFilters } from './find-filters.ts';

/** Not searched from `/`: what is there is made up by the kernel or gone at the next start. */
const SKIPPED = ['/proc', '/sys', '/dev', '/run'];

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

const result = { type: 'object', properties: {}, required: [], additionalProperties: false } as const;

export const filesFind = operation<Args, Record<string, never>, FoundRecord>({
  name: 'files/find',
  args,
  kind: 'records',
  result,
  record,
  path: { need: 'object', lastLink: 'object', use: 'read', failure: 'read_directory', fallback: '/' },
  where: 'worker',
  async run(given, context) {
    const filters = parseFilters(given, Date.now());
    let looked = 0;
    for (const entry of walk(given, context)) {
      looked += 1;
      context.progress?.(looked, `${looked} entries looked at`);
      const found = judge(entry, filters, context);
      if (found !== undefined) await context.emit(found);
    }
    return {};
  },
});

function* walk(given: Args, context: OpContext<FoundRecord>): Generator<TreeEntry> {
  const subject = subjectOf(context);
  const object = objectOf(subject, 'read_directory');
  const fromRoot = subject.realPath === '/';
  const options = {
    fd: object.fd,
    path: byteString(subject.path.replace(/\/+$/, '') || '/'),
    realPath: subject.realPath,
    guard: context.guard,
    use: 'read' as const,
    context,
    skips: (path: string): boolean => fromRoot && SKIPPED.some((skipped) => isWithin(path, skipped)),
    ...(given.max_depth !== undefined && given.max_depth > 0 ? { maxDepth: given.max_depth } : {}),
  };
  for (const entry of walkTree(options)) {
    if (entry.failure === undefined) {
      if (!options.skips(entry.realPath)) yield entry;
    } else if (entry.depth === 0) {
      throw systemError('read_directory', { path: subject.path }, entry.failure);
    }
  }
}

/** A record for an entry that matches; what may not be seen is passed over without a word. */
function judge(entry: TreeEntry, filters: FindFilters, context: OpContext<FoundRecord>): FoundRecord | undefined {
  if (!filters.name(baseName(entry))) return undefined;
  const stat = statOf(entry, context);
  if (stat === undefined || !filters.stat(stat)) return undefined;
  if (context.guard.isProtected({ realPath: entry.realPath, stat }, 'read')) return undefined;
  const { path, ...encoded } = namedPath(entry.path);
  return { path, size: Number(stat.size), type: findType(stat), ...encoded };
}

function statOf(entry: TreeEntry, context: OpContext<FoundRecord>): BigIntStats | undefined {
  if (entry.directory !== undefined && entry.name !== undefined) return statEntry(entry.directory, entry.name);
  return statHeld(objectOf(subjectOf(context), 'read_directory').fd);
}

/** The start has the last name of its path, and `/` is called so. */
function baseName(entry: TreeEntry): string {
  if (entry.name !== undefined) return textOf(entry.name);
  return textOf(entry.path.slice(entry.path.lastIndexOf('/') + 1) || '/');
}
