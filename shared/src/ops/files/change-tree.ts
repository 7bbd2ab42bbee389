/**
 * What chmod and chown have in common: one object, or everything below it, each held by a descriptor, judged, changed and reported
 * entry by entry.
 */
import { checkAbort } from '../../abort.ts';
import { errnoOf, reasonOf, StewardError } from '../../errors.ts';
import { closeAll, openEntry, statHeld } from '../../host/descriptors.ts';
import { byteString, namedPath } from '../../host/names.ts';
import type { HeldObject } from '../../host/subject.ts';
import { walkTree, type TreeEntry } from '../../host/tree.ts';
import type { Static } from '../../schema.ts';
import type { OpContext } from '../operation.ts';
import { objectOf, refuseHardLink, subjectOf } from './common.ts';

/** What became of one object, in the words of the operation. */
export interface Change<Words> {
  readonly changed: boolean;
  readonly words: Words;
}

/** Changes one held object, or says what would change; throws StewardError or the system error. */
export type Changer<Words> = (object: HeldObject, path: string) => Change<Words>;

/** How an entry is reported. */
export type ChangeRecord<Words> = Words & {
  readonly path: string;
  readonly path_base64?: string;
  readonly changed: boolean;
  /** Why it could not be changed. */
  readonly error?: string;
  readonly skipped?: 'symlink';
};

/** What became of all of them. */
export const changeSummary = {
  type: 'object',
  properties: {
    changed: { type: 'integer' },
    unchanged: { type: 'integer' },
    /** Links that were met and left alone. */
    symlinks: { type: 'integer' },
    /** Protected objects that were met and left alone. */
    protected: { type: 'integer' },
    errors: { type: 'integer' },
    /** Present and true when nothing was done. */
    dry_run: { type: 'boolean' },
  },
  required: ['changed', 'unchanged', 'symlinks', 'protected', 'errors'],
  additionalProperties: false,
} as const;
export type ChangeSummary = Static<typeof changeSummary>;
type ChangeCounts = Omit<ChangeSummary, 'dry_run'>;

export interface ChangeOptions<Words> {
  readonly recursive: boolean;
  readonly change: Changer<Words>;
  /** The words of an entry that was not changed. */
  readonly none: Words;
}

type Context<Words> = OpContext<ChangeRecord<Words>>;

/** Changes the subject, with everything below if asked. Throws for a single object; in a tree each entry has its own outcome. */
export async function changeTree<Words>(context: Context<Words>, options: ChangeOptions<Words>): Promise<ChangeCounts> {
  const counts: ChangeCounts = { changed: 0, unchanged: 0, symlinks: 0, protected: 0, errors: 0 };
  const subject = subjectOf(context);
  const object = objectOf(subject, 'access_path');
  if (!options.recursive) {
    context.guard.check({ realPath: subject.realPath, stat: object.stat }, 'attributes', subject.path);
    refuseHardLink(context, object.stat, subject.path);
    const { changed, words } = options.change(object, subject.path);
    counts[changed ? 'changed' : 'unchanged']++;
    await context.emit({ ...words, ...namedPath(byteString(subject.path)), changed });
    return counts;
  }
  const path = byteString(subject.path.replace(/\/+$/, '') || '/');
  const tree = { fd: object.fd, path, realPath: subject.realPath, guard: context.guard, use: 'write' as const, context };
  let met = 0;
  for (const entry of walkTree(tree)) {
    checkAbort(context.signal);
    met += 1;
    context.progress?.(met, `${met} entries`);
    const report = handleEntry(entry, context, options, counts);
    if (report !== undefined) await context.emit(report);
  }
  return counts;
}

/** One entry of a tree; a record only where there is something to tell. */
function handleEntry<Words>(
  entry: TreeEntry,
  context: Context<Words>,
  options: ChangeOptions<Words>,
  counts: ChangeCounts,
): ChangeRecord<Words> | undefined {
  const named = namedPath(entry.path);
  const failed = (error: unknown): ChangeRecord<Words> => {
    if (!isAboutEntry(error)) throw error instanceof Error ? error : new Error(String(error));
    counts.errors++;
    return { ...options.none, ...named, changed: false, error: reasonText(error) };
  };
  if (entry.failure !== undefined) return failed(entry.failure);
  try {
    const { outcome, words } = changeEntry(entry, named.path, context, options);
    counts[outcome]++;
    if (outcome === 'symlinks') return { ...words, ...named, changed: false, skipped: 'symlink' };
    return outcome === 'changed' ? { ...words, ...named, changed: true } : undefined;
  } catch (error) {
    return failed(error);
  }
}

/** What ends only the entry at hand; that the call was stopped ends the walk. */
function isAboutEntry(error: unknown): boolean {
  if (error instanceof StewardError) return !['cancelled', 'timeout', 'shutting_down'].includes(error.key);
  return errnoOf(error) !== undefined;
}

function reasonText(error: unknown): string {
  if (!(error instanceof StewardError)) return reasonOf(error);
  const { reason } = error.params;
  return typeof reason === 'string' ? reason : error.message;
}

function changeEntry<Words>(
  entry: TreeEntry,
  path: string,
  context: Context<Words>,
  options: ChangeOptions<Words>,
): { outcome: keyof ChangeCounts; words: Words } {
  const own = entry.directory === undefined ? undefined : openEntry(entry.directory, entry.name ?? '');
  try {
    const fd = own ?? objectOf(subjectOf(context), 'access_path').fd;
    const stat = statHeld(fd);
    if (stat.isSymbolicLink()) return { outcome: 'symlinks', words: options.none };
    if (context.guard.isProtected({ realPath: entry.realPath, stat }, 'attributes'))
      return { outcome: 'protected', words: options.none };
    refuseHardLink(context, stat, path);
    const { changed, words } = options.change({ fd, stat }, path);
    return { outcome: changed ? 'changed' : 'unchanged', words };
  } finally {
    closeAll(own);
  }
}
