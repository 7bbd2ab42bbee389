/**
 * Reads a text file: whole, by bytes or by lines, up to a cap. Content goes out in pieces as it is read, so memory does not
 * depend on the size of the file or of the answer.
 */
import { closeSync } from 'node:fs';
import { StewardError, systemError } from '../../errors.ts';
import { detectMime, isBinary } from '../../host/mime.ts';
import type { Static } from '../../schema.ts';
import { operation, type OpContext } from '../operation.ts';
import { CappedOutput } from './capped.ts';
import { openToRead, subjectOf } from './common.ts';
import { copyLines } from './lines.ts';
import { Source } from './source.ts';

/** Bytes given when the caller did not say how many. */
const DEFAULT_BYTES = 10_240;
/** Bytes given at most. */
const MAX_BYTES = 16 * 1024 * 1024;

const args = {
  type: 'object',
  properties: {
    path: { type: 'string', description: 'absolute file' },
    start_line: { type: 'integer', minimum: 0, description: '1-based; 0=none' },
    end_line: { type: 'integer', minimum: 0, description: 'inclusive; 0=none' },
    offset: { type: 'integer', minimum: 0, description: 'bytes to skip' },
    limit: { type: 'integer', minimum: 0, description: 'bytes; 0=none' },
  },
  required: ['path'],
  additionalProperties: false,
} as const;
type Args = Static<typeof args>;

const result = {
  type: 'object',
  properties: {
    /** True when a cap, not the caller's limit, cut the content. */
    truncated: { type: 'boolean' },
    /** Bytes returned. */
    at: { type: 'integer' },
    /** Bytes of the file; null for pseudo-files. */
    size: { anyOf: [{ type: 'integer' }, { type: 'null' }] },
    /** Offset at which reading can go on. */
    next: { type: 'integer' },
    /** Of the content, only if it is the whole file. */
    sha256: { type: 'string' },
  },
  required: ['truncated', 'at', 'size', 'next'],
  additionalProperties: false,
} as const;
export type ReadSummary = Static<typeof result>;

/** What one kind of selection found out. */
interface Selected {
  /** Where in the file the content begins. */
  readonly from: number;
  /** The content runs from the first byte to the last. */
  readonly whole: boolean;
  /** What was cut, was cut because the caller said so. */
  readonly asked: boolean;
}

export const filesRead = operation<Args, ReadSummary>({
  name: 'files/read',
  args,
  kind: 'bytes',
  result,
  path: { need: 'object', lastLink: 'follow', use: 'read', failure: 'open_file' },
  where: 'loop',
  async run(given, context) {
    const subject = subjectOf(context);
    const file = openToRead(subject, 'open_file');
    try {
      const source = await Source.open(file);
      if (isBinary(source.head)) throw new StewardError('binary_file', { mime: detectMime(source.head, source.whole) });
      return await send(given, context, source);
    } catch (error) {
      throw systemError('open_file', { path: subject.path }, error);
    } finally {
      closeSync(file.fd);
    }
  },
});

async function send(given: Args, context: OpContext, source: Source): Promise<ReadSummary> {
  const { size } = source;
  const lines = (given.start_line ?? 0) > 0 || (given.end_line ?? 0) > 0;
  const asked = given.limit !== undefined && given.limit > 0 ? given.limit : undefined;
  const cap = lines ? MAX_BYTES : Math.min(asked ?? DEFAULT_BYTES, MAX_BYTES);
  const output = new CappedOutput((bytes, last) => context.write(bytes, last), cap);
  const selected = lines ? await sendLines(given, context, source, output) : await sendBytes(given, context, source, output);
  const sha256 = await output.finish();
  const summary = { truncated: output.cut && !selected.asked, at: output.sent, size, next: selected.from + output.sent };
  return selected.whole && !output.cut ? { ...summary, sha256 } : summary;
}

async function sendBytes(given: Args, context: OpContext, source: Source, output: CappedOutput): Promise<Selected> {
  const { offset = 0, limit = 0 } = given;
  if (source.whole) await output.add(source.head.subarray(offset));
  else {
    for await (const piece of source.pieces(offset, context.signal)) if (!(await output.add(piece))) break;
  }
  return { from: offset, whole: offset === 0, asked: limit > 0 && limit <= MAX_BYTES };
}

async function sendLines(given: Args, context: OpContext, source: Source, output: CappedOutput): Promise<Selected> {
  const start = Math.max(1, given.start_line ?? 0);
  const end = given.end_line ?? 0;
  const range = { start, end: end < start ? Infinity : end };
  const found = await copyLines(source.pieces(0, context.signal), range, output);
  if (source.head.length > 0 && start > found.lines) throw new StewardError('line_past_end', { line: start, lines: found.lines });
  return { from: found.from, whole: start === 1 && found.complete, asked: false };
}
