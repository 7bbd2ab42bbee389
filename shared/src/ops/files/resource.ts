/** The reads behind `file:///{path}`: content, attributes and type of a file. */
import { closeSync } from 'node:fs';
import { StewardError, systemError } from '../../errors.ts';
import { detectMime, isBinary } from '../../host/mime.ts';
import { modeString } from '../../host/modes.ts';
import { localTime } from '../../host/times.ts';
import type { Static } from '../../schema.ts';
import { operation } from '../operation.ts';
import { objectOf, openToRead, subjectOf } from './common.ts';
import { mimeOf } from './filetype.ts';
import { Source } from './source.ts';

const MAX_BYTES = 16 * 1024 * 1024;

const args = {
  type: 'object',
  properties: { path: { type: 'string' } },
  required: ['path'],
  additionalProperties: false,
} as const;
type Args = Static<typeof args>;

const contentResult = {
  type: 'object',
  properties: { size: { type: 'integer' } },
  required: ['size'],
  additionalProperties: false,
} as const;

/** The whole content of a text file of at most 16 MiB. */
export const fileContent = operation<Args, Static<typeof contentResult>>({
  name: 'resource/file-content',
  args,
  kind: 'bytes',
  result: contentResult,
  path: { need: 'object', lastLink: 'follow', use: 'read', failure: 'open_file' },
  where: 'loop',
  async run(_given, context) {
    const subject = subjectOf(context);
    const file = openToRead(subject, 'open_file');
    try {
      const source = await Source.open(file);
      if (isBinary(source.head)) throw new StewardError('binary_file', { mime: detectMime(source.head, source.whole) });
      if ((source.size ?? 0) > MAX_BYTES) throw new StewardError('file_too_large');
      let size = 0;
      for await (const piece of source.pieces(0, context.signal)) {
        size += piece.length;
        if (size > MAX_BYTES) throw new StewardError('file_too_large');
        await context.write(piece);
      }
      return { size };
    } catch (error) {
      throw systemError('open_file', { path: subject.path }, error);
    } finally {
      closeSync(file.fd);
    }
  },
});

const statResult = {
  type: 'object',
  properties: {
    name: { type: 'string' },
    size: { type: 'integer' },
    mode: { type: 'string' },
    modified_time: { type: 'string' },
    is_dir: { type: 'boolean' },
  },
  required: ['name', 'size', 'mode', 'modified_time', 'is_dir'],
  additionalProperties: false,
} as const;

/** A few attributes of any object, from its status alone. */
export const fileStat = operation<Args, Static<typeof statResult>>({
  name: 'resource/file-stat',
  args,
  kind: 'value',
  result: statResult,
  path: { need: 'object', lastLink: 'follow', use: 'read', failure: 'open_file' },
  where: 'loop',
  run(_given, context) {
    const subject = subjectOf(context);
    const { stat } = objectOf(subject, 'open_file');
    const names = subject.path.split('/').filter((name) => name !== '');
    return Promise.resolve({
      name: names.at(-1) ?? '/',
      size: Number(stat.size),
      mode: modeString(Number(stat.mode)),
      modified_time: localTime(stat.mtimeMs),
      is_dir: stat.isDirectory(),
    });
  },
});

const typeResult = {
  type: 'object',
  properties: { mime: { type: 'string' } },
  required: ['mime'],
  additionalProperties: false,
} as const;

/** The MIME type, as files/filetype tells it. */
export const fileType = operation<Args, Static<typeof typeResult>>({
  name: 'resource/file-type',
  args,
  kind: 'value',
  result: typeResult,
  path: { need: 'object', lastLink: 'object', rootMayNameLink: true, use: 'read', failure: 'open_file' },
  where: 'loop',
  run: async (_given, context) => ({ mime: await mimeOf(context) }),
});
