/** Changes mode bits of an object or of a tree, in octal or symbolic notation. Links are never followed. */
import { chmodSync, utimesSync, type BigIntStats } from 'node:fs';
import { StewardError, systemError } from '../../errors.ts';
import { heldPath, statHeld } from '../../host/descriptors.ts';
import { applyMode, parseMode, type ModeChange } from '../../host/mode-change.ts';
import { modeString, octalMode, permissionsOf, S_ISGID, S_ISUID } from '../../host/modes.ts';
import type { HeldObject } from '../../host/subject.ts';
import type { Static } from '../../schema.ts';
import { operation, type OpContext } from '../operation.ts';
import { changeSummary, changeTree, type Change, type ChangeSummary } from './change-tree.ts';
import { errno } from './common.ts';

const SETID = S_ISUID | S_ISGID;

const args = {
  type: 'object',
  properties: {
    path: { type: 'string', description: 'absolute path' },
    mode: { type: 'string', maxLength: 1024, description: 'octal or symbolic' },
    recursive: { type: 'boolean' },
    dry_run: { type: 'boolean' },
  },
  required: ['path', 'mode'],
  additionalProperties: false,
} as const;
type Args = Static<typeof args>;

const record = {
  type: 'object',
  properties: {
    path: { type: 'string' },
    path_base64: { type: 'string' },
    /** Octal, before and after; empty for what could not be changed. */
    old: { type: 'string' },
    new: { type: 'string' },
    /** As `ls -l` shows it, before and after. */
    old_mode: { type: 'string' },
    new_mode: { type: 'string' },
    changed: { type: 'boolean' },
    error: { type: 'string' },
    skipped: { type: 'string', enum: ['symlink'] },
  },
  required: ['path', 'old', 'new', 'old_mode', 'new_mode', 'changed'],
  additionalProperties: false,
} as const;
export type ChmodRecord = Static<typeof record>;

type Words = Pick<ChmodRecord, 'old' | 'new' | 'old_mode' | 'new_mode'>;
const NONE: Words = { old: '', new: '', old_mode: '', new_mode: '' };

export const filesChmod = operation<Args, ChangeSummary, ChmodRecord>({
  name: 'files/chmod',
  args,
  kind: 'records',
  result: changeSummary,
  record,
  path: { need: 'object', lastLink: 'refuse', noLinks: true, use: 'write', failure: 'change_mode' },
  where: ({ recursive }) => (recursive === true ? 'worker' : 'loop'),
  async run({ mode, recursive, dry_run }, context) {
    const change = parseMode(mode);
    const dry = dry_run === true;
    const counts = await changeTree(context, {
      recursive: recursive === true,
      none: NONE,
      change: (object, path) => changeMode(object, path, change, context, dry),
    });
    return dry ? { ...counts, dry_run: true } : counts;
  },
});

function changeMode(
  object: HeldObject,
  path: string,
  change: ModeChange,
  context: OpContext<ChmodRecord>,
  dry: boolean,
): Change<Words> {
  const { stat } = object;
  const before = permissionsOf(stat);
  const wanted = applyMode(change, before, stat.isDirectory());
  if (wanted === before) return { changed: false, words: words(Number(stat.mode), before, before) };
  const refused = (): StewardError => new StewardError('setid_not_granted', { path });
  const judged = context.privileged && !context.allowSetid && stat.isFile() && (wanted & SETID) !== 0;
  if (judged && addsSetid(stat, wanted)) throw refused();
  if (judged && !dry && addsSetid(settled(object, path, context), wanted)) throw refused();
  const after = dry ? predict(object, path, wanted, context) : apply(object, path, wanted, context);
  return { changed: true, words: words(Number(stat.mode), before, after) };
}

/**
 * Setuid and setgid are kept only where the file is root's already. Between the look at a file and the change of its mode anybody
 * may give it to root, which takes the bits away (chown(2)); to set them again then would make a program of root's out of it.
 */
function addsSetid(stat: BigIntStats, wanted: number): boolean {
  const isOwn = stat.uid === BigInt(process.geteuid?.() ?? 0);
  return !isOwn || (wanted & ~permissionsOf(stat) & SETID) !== 0;
}

/**
 * What a file is once no change of it is under way. The kernel gives a file its new owner before it takes the bits away, so a look in
 * between finds a setuid file of root's that never was one. Changes wait for one another: when its times have been set to what
 * they are (to less than a microsecond, all that a number holds), that one is over.
 */
function settled({ fd, stat }: HeldObject, path: string, context: OpContext<ChmodRecord>): BigIntStats {
  context.begin();
  try {
    utimesSync(heldPath(fd), Number(stat.atimeNs) / 1e9, Number(stat.mtimeNs) / 1e9);
    return statHeld(fd);
  } catch (error) {
    throw systemError('change_mode', { path }, error);
  }
}

/** The kernel lets only the owner and root change a mode (chmod(2)). */
function predict(object: HeldObject, path: string, wanted: number, context: OpContext<ChmodRecord>): number {
  const user = process.geteuid?.();
  if (context.privileged || user === 0 || BigInt(user ?? -1) === object.stat.uid) return wanted;
  throw systemError('change_mode', { path }, errno('EPERM'));
}

/** Returns what the mode really is afterwards: without the right group the kernel drops setgid silently. */
function apply(object: HeldObject, path: string, wanted: number, context: OpContext<ChmodRecord>): number {
  context.begin();
  try {
    chmodSync(heldPath(object.fd), wanted);
    return permissionsOf(statHeld(object.fd));
  } catch (error) {
    throw systemError('change_mode', { path }, error);
  }
}

function words(mode: number, before: number, after: number): Words {
  const type = mode & 0o170000;
  return {
    old: octalMode(before),
    new: octalMode(after),
    old_mode: modeString(type | before),
    new_mode: modeString(type | after),
  };
}
