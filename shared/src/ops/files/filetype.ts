/** Tells the MIME type of a file by its first bytes; everything but regular files is told by its kind and never opened. */
import { closeSync } from 'node:fs';
import { systemError } from '../../errors.ts';
import { detectMime } from '../../host/mime.ts';
import { typeName } from '../../host/modes.ts';
import type { Static } from '../../schema.ts';
import { operation, type OpContext } from '../operation.ts';
import { objectOf, openToRead, subjectOf } from './common.ts';
import { Source } from './source.ts';

const args = {
  type: 'object',
  properties: { path: { type: 'string', description: 'absolute path' } },
  required: ['path'],
  additionalProperties: false,
} as const;

const result = {
  type: 'object',
  properties: { mime: { type: 'string' } },
  required: ['mime'],
  additionalProperties: false,
} as const;

/** The usual names of kinds of files (shared MIME-info specification, inode/). */
const INODE_TYPES = {
  symlink: 'inode/symlink',
  dir: 'inode/directory',
  char: 'inode/chardevice',
  block: 'inode/blockdevice',
  fifo: 'inode/fifo',
  socket: 'inode/socket',
} as const;

export const filesFiletype = operation<Static<typeof args>, Static<typeof result>>({
  name: 'files/filetype',
  args,
  kind: 'value',
  result,
  path: { need: 'object', lastLink: 'object', rootMayNameLink: true, use: 'read', failure: 'open_file' },
  where: 'loop',
  run: async (_given, context) => ({ mime: await mimeOf(context) }),
});

/** MIME type of the subject. */
export async function mimeOf(context: OpContext): Promise<string> {
  const subject = subjectOf(context);
  const type = typeName(Number(objectOf(subject, 'open_file').stat.mode));
  if (type !== 'file') return INODE_TYPES[type];
  const file = openToRead(subject, 'open_file');
  try {
    const source = await Source.open(file);
    return detectMime(source.head, source.whole);
  } catch (error) {
    throw systemError('open_file', { path: subject.path }, error);
  } finally {
    closeSync(file.fd);
  }
}
