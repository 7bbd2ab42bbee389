/**
 * Creates a file or replaces all its content. An existing file keeps mode, owner and links and is never empty in between; a link
 * is never followed to its target.
 */
import { closeSync, constants, fstatSync, utimesSync } from 'node:fs';
import { systemError } from '../../errors.ts';
import { heldPath } from '../../host/descriptors.ts';
import { octalMode, permissionsOf } from '../../host/modes.ts';
import type { HeldObject, PathSubject } from '../../host/subject.ts';
import type { Static } from '../../schema.ts';
import { operation, type OpContext, type Upload } from '../operation.ts';
import {
  EMPTY_SHA256,
  hashForAnswer,
  hashSubject,
  openRegular,
  parseSha256,
  refuseHardLink,
  requireRegular,
  requireSha256,
  subjectOf,
} from './common.ts';
import { makeParents, parentOf, writeNewFile } from './new-file.ts';
import { checkMayCreate, dropSetid, inPlaceFailure, setLength, syncFile, writeFully } from './writing.ts';

const NEW_MODE = '0644';
const EMPTY: Upload = { size: 0, sha256: EMPTY_SHA256, chunks: () => noChunks() };

const args = {
  type: 'object',
  properties: {
    path: { type: 'string', description: 'absolute file' },
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
    action: { type: 'string', enum: ['create', 'replace', 'touch'] },
    path: { type: 'string' },
    /** Bytes afterwards and before. */
    size: { type: 'integer' },
    old_size: { type: 'integer' },
    /** Parents that were missing. */
    directories: { type: 'integer' },
    /** Octal. */
    mode: { type: 'string' },
    /** Of the content as it is now; absent where it cannot be read or is too long for that. */
    sha256: { type: 'string' },
    dry_run: { type: 'boolean' },
  },
  required: ['action', 'path', 'size', 'old_size', 'directories', 'mode', 'dry_run'],
  additionalProperties: false,
} as const;
export type CreateResult = Static<typeof result>;

export const filesCreate = operation<Args, CreateResult>({
  name: 'files/create',
  args,
  kind: 'value',
  result,
  path: { need: 'any', lastLink: 'refuse', use: 'write', failure: 'write_file', directoryFailure: 'create_parents' },
  upload: 'content',
  where: 'loop',
  async run(given, context) {
    const expected = parseSha256('if_sha256', given.if_sha256);
    const subject = subjectOf(context);
    if (subject.object !== undefined) {
      requireRegular(subject, subject.object.stat, 'write_file');
      refuseHardLink(context, subject.object.stat, subject.path);
    }
    if (expected !== undefined) requireSha256(expected, await hashSubject(subject, context.signal));
    const upload = context.upload ?? EMPTY;
    const dry = given.dry_run === true;
    if (subject.object === undefined) return create(subject, upload, context, dry);
    const change = upload.size === 0 ? touch : replace;
    return change(subject, subject.object, upload, context, dry);
  },
});

async function create(subject: PathSubject, upload: Upload, context: OpContext, dry: boolean): Promise<CreateResult> {
  const result = {
    action: upload.size === 0 ? ('touch' as const) : ('create' as const),
    path: subject.path,
    size: upload.size,
    old_size: 0,
    directories: subject.missing.length - 1,
    mode: NEW_MODE,
    sha256: dry ? EMPTY_SHA256 : upload.sha256,
    dry_run: dry,
  };
  let directory: number | undefined;
  try {
    if (dry) {
      checkMayCreate(parentOf(subject));
      return result;
    }
    context.begin();
    directory = await makeParents(subject);
    await writeNewFile(directory, subject.name, upload.chunks());
    return result;
  } catch (error) {
    throw systemError('write_file', { path: subject.path }, error);
  } finally {
    if (directory !== undefined) closeSync(directory);
  }
}

/** Writes over the old content, then cuts what is left of it. */
async function replace(
  subject: PathSubject,
  object: HeldObject,
  upload: Upload,
  context: OpContext,
  dry: boolean,
): Promise<CreateResult> {
  const fd = openRegular(subject, constants.O_WRONLY, 'write_file');
  const progress = { written: 0 };
  try {
    const oldSize = fstatSync(fd).size;
    if (!dry) {
      context.begin();
      dropSetid(fd, context.privileged);
      for await (const bytes of upload.chunks()) await writeFully(fd, bytes, progress.written, progress);
      await setLength(fd, upload.size);
      await syncFile(fd);
    }
    const sha256 = dry ? await hashForAnswer(subject, context.signal) : upload.sha256;
    const mode = octalMode(fstatSync(fd).mode);
    return { ...existing(subject, object, dry, sha256), action: 'replace', size: upload.size, old_size: oldSize, mode };
  } catch (error) {
    throw inPlaceFailure(error, subject.path, progress.written, upload.size);
  } finally {
    closeSync(fd);
  }
}

/** Sets access and modification time to now; the content is not touched. */
async function touch(
  subject: PathSubject,
  object: HeldObject,
  _upload: Upload,
  context: OpContext,
  dry: boolean,
): Promise<CreateResult> {
  try {
    if (dry) closeSync(openRegular(subject, constants.O_WRONLY, 'write_file'));
    else {
      context.begin();
      const now = new Date();
      utimesSync(heldPath(object.fd), now, now);
    }
  } catch (error) {
    throw systemError('write_file', { path: subject.path }, error);
  }
  return existing(subject, object, dry, await hashForAnswer(subject, context.signal));
}

function existing(subject: PathSubject, object: HeldObject, dry: boolean, sha256: string | undefined): CreateResult {
  const size = Number(object.stat.size);
  const mode = octalMode(permissionsOf(object.stat));
  const hash = sha256 === undefined ? {} : { sha256 };
  return { action: 'touch', path: subject.path, size, old_size: size, directories: 0, mode, dry_run: dry, ...hash };
}

// eslint-disable-next-line @typescript-eslint/require-await -- an upload without content
async function* noChunks(): AsyncGenerator<Uint8Array> {
  yield* [];
}
