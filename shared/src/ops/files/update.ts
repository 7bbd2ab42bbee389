/** Edits a file: appends to it, or replaces a range of its lines. Mode, owner and other attributes stay as they are. */
import { closeSync, constants } from 'node:fs';
import { StewardError, systemError } from '../../errors.ts';
import { openDirectory } from '../../host/descriptors.ts';
import type { PathSubject } from '../../host/subject.ts';
import type { Static } from '../../schema.ts';
import { operation, type OpContext, type Upload } from '../operation.ts';
import {
  hashForAnswer,
  hashSubject,
  objectOf,
  openRegular,
  parseSha256,
  refuseHardLink,
  requireRegular,
  requireSha256,
  subjectOf,
} from './common.ts';
import { applyEdit, Outdated } from './edit-apply.ts';
import { planEdit, type EditPlan } from './edit-plan.ts';
import { parentOf, writeNewFile } from './new-file.ts';
import { checkMayCreate, dropSetid, syncFile, writeFully } from './writing.ts';

/** How often an edit is planned anew because somebody else wrote to the file meanwhile. */
const ATTEMPTS = 3;

const args = {
  type: 'object',
  properties: {
    path: { type: 'string', description: 'absolute file' },
    append: { type: 'boolean', description: 'add at the end, wins over a range' },
    start_line: { type: 'integer', minimum: 0, description: '1-based; 0=none' },
    end_line: { type: 'integer', minimum: 0, description: 'inclusive; 0=none' },
    if_sha256: { type: 'string', maxLength: 1024, description: 'refuse if the file changed' },
    dry_run: { type: 'boolean' },
  },
  required: ['path'],
  additionalProperties: false,
} as const;
type Args = Static<typeof args>;

const result = {
  type: 'object',
  properties: {
    action: { type: 'string', enum: ['append', 'replace'] },
    path: { type: 'string' },
    /** First and last line replaced, the last clamped to the file; 0 for an append. */
    start: { type: 'integer' },
    end: { type: 'integer' },
    /** Lines that the range had and has. */
    old_lines: { type: 'integer' },
    new_lines: { type: 'integer' },
    /** Of the file as it is now: in a dry run before the change. Absent where it cannot be read or is too long for that. */
    sha256: { type: 'string' },
    dry_run: { type: 'boolean' },
  },
  required: ['action', 'path', 'start', 'end', 'old_lines', 'new_lines', 'dry_run'],
  additionalProperties: false,
} as const;
export type UpdateResult = Static<typeof result>;

/** A call whose arguments have been judged. */
interface Task {
  readonly subject: PathSubject;
  readonly upload: Upload;
  readonly expected: string | undefined;
  readonly dry: boolean;
  readonly context: OpContext;
}

export const filesUpdate = operation<Args, UpdateResult>({
  name: 'files/update',
  args,
  kind: 'value',
  result,
  path: { need: 'parent', lastLink: 'refuse', use: 'write', failure: 'open_file' },
  upload: 'content',
  where: 'loop',
  async run(given, context) {
    const range = given.append === true ? undefined : rangeOf(given);
    const expected = parseSha256('if_sha256', given.if_sha256);
    if (context.upload === undefined) throw new StewardError('argument_required', { name: 'content' });
    const subject = subjectOf(context);
    const task: Task = { subject, upload: context.upload, expected, dry: given.dry_run === true, context };
    if (subject.object !== undefined) {
      requireRegular(subject, subject.object.stat, 'open_file');
      refuseHardLink(context, subject.object.stat, subject.path);
    }
    return range === undefined ? append(task) : replace(task, range);
  },
});

interface Range {
  readonly start: number;
  readonly end: number;
}

function rangeOf({ start_line: start = 0, end_line: end = 0 }: Args): Range {
  if (start === 0 || end === 0) throw new StewardError('update_selection');
  if (end < start) throw new StewardError('line_range', { start, end });
  return { start, end };
}

async function append(task: Task): Promise<UpdateResult> {
  const { subject, upload, expected, dry, context } = task;
  if (expected !== undefined) requireSha256(expected, await hashSubject(subject, context.signal));
  try {
    if (subject.object !== undefined) await appendToExisting(task);
    else if (dry) checkMayCreate(parentOf(subject));
    else await appendToNew(task);
  } catch (error) {
    throw systemError('write_file', { path: subject.path }, error);
  }
  const sha256 = subject.object === undefined && !dry ? upload.sha256 : await hashForAnswer(subject, context.signal);
  const hash = sha256 === undefined ? {} : { sha256 };
  return { action: 'append', path: subject.path, start: 0, end: 0, old_lines: 0, new_lines: 0, dry_run: dry, ...hash };
}

async function appendToExisting({ subject, upload, dry, context }: Task): Promise<void> {
  const fd = openRegular(subject, constants.O_WRONLY | constants.O_APPEND, 'open_file');
  try {
    if (dry) return;
    context.begin();
    dropSetid(fd, context.privileged);
    const progress = { written: 0 };
    for await (const bytes of upload.chunks()) await writeFully(fd, bytes, null, progress);
    await syncFile(fd);
  } finally {
    closeSync(fd);
  }
}

async function appendToNew({ subject, upload, context }: Task): Promise<void> {
  const directory = openDirectory(parentOf(subject), '.');
  try {
    context.begin();
    await writeNewFile(directory, subject.name, upload.chunks());
  } finally {
    closeSync(directory);
  }
}

/** Plans and applies; plans anew when somebody else wrote to the file in between. */
async function replace(task: Task, range: Range): Promise<UpdateResult> {
  const { subject, upload, context } = task;
  objectOf(subject, 'open_file');
  const fd = openRegular(subject, constants.O_RDONLY, 'open_file');
  try {
    // what may not be written to may not be replaced either, whatever the directory allows
    closeSync(openRegular(subject, constants.O_WRONLY, 'write_file'));
    for (let attempt = 1; ; attempt++) {
      const plan = await planEdit(fd, range.start, range.end, upload, context.signal);
      requireSha256(task.expected, plan.oldSha256);
      if (task.dry) return resultOf(task, plan, plan.oldSha256);
      try {
        await applyEdit({ subject, fd, plan, upload, context });
        return resultOf(task, plan, plan.newSha256);
      } catch (error) {
        if (!(error instanceof Outdated)) throw error;
        if (attempt === ATTEMPTS) throw new StewardError('write_file', { path: subject.path, reason: 'device or resource busy' });
      }
    }
  } catch (error) {
    throw systemError('open_file', { path: subject.path }, error);
  } finally {
    closeSync(fd);
  }
}

function resultOf(task: Task, plan: EditPlan, sha256: string): UpdateResult {
  const { start, end, oldLines, newLines } = plan;
  return {
    action: 'replace',
    path: task.subject.path,
    start,
    end,
    old_lines: oldLines,
    new_lines: newLines,
    sha256,
    dry_run: task.dry,
  };
}
