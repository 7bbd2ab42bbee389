/** Works out a replacement of lines without changing anything: where the range lies in the file and what the result will be. */
import { createHash, type Hash } from 'node:crypto';
import { fstatSync, type BigIntStats } from 'node:fs';
import type { Upload } from '../operation.ts';
import { readPieces } from './source.ts';

const NEWLINE = 10;

export interface EditPlan {
  /** Status of the file before it was read; by it a later change is noticed. */
  readonly stat: BigIntStats;
  /** Bytes [from, to) are replaced. */
  readonly from: number;
  readonly to: number;
  /** The last line has no newline and a new line follows it: one is put before the replacement. */
  readonly newlineBefore: boolean;
  /** Lines as they are numbered in the answer; the last clamped to the file. */
  readonly start: number;
  readonly end: number;
  readonly oldLines: number;
  readonly newLines: number;
  readonly oldSha256: string;
  readonly newSha256: string;
  /** Bytes before and after. */
  readonly oldSize: number;
  readonly newSize: number;
}

/** Reads the opened file once and plans to replace lines start..end (from 1) by the upload. */
export async function planEdit(fd: number, start: number, end: number, upload: Upload, signal: AbortSignal): Promise<EditPlan> {
  const stat = fstatSync(fd, { bigint: true });
  const scan = await scanFile(fd, start, end, signal);
  const { from, to, lines, size, lastByte } = scan;
  const beyond = start > lines;
  const newlineBefore = beyond && size > 0 && lastByte !== NEWLINE;
  const first = beyond ? lines + 1 : start;
  const last = beyond ? first : Math.min(end, lines);
  const plan = { stat, from, to, newlineBefore, start: first, end: last, oldLines: beyond ? 0 : last - first + 1, oldSize: size };
  const hash = createHash('sha256');
  let newLines = 0;
  let newSize = 0;
  for await (const bytes of editedContent(fd, plan, upload, signal)) {
    hash.update(bytes.bytes);
    newSize += bytes.bytes.byteLength;
    if (bytes.isReplacement) newLines += countNewlines(bytes.bytes);
  }
  if (newlineBefore) newLines--; // that one ends the old last line
  return { ...plan, newLines, newSize, oldSha256: scan.sha256, newSha256: hash.digest('hex') };
}

/** A piece of the new content. */
export interface EditedPiece {
  readonly bytes: Uint8Array;
  readonly isReplacement: boolean;
}

/** The new content from its beginning: what is before the range, the replacement, what is behind it. */
export async function* editedContent(
  fd: number,
  plan: Pick<EditPlan, 'from' | 'to' | 'newlineBefore' | 'oldSize'>,
  upload: Upload,
  signal: AbortSignal,
): AsyncGenerator<EditedPiece> {
  for await (const bytes of readRange(fd, 0, plan.from, signal)) yield { bytes, isReplacement: false };
  for await (const bytes of replacement(plan.newlineBefore, upload)) yield { bytes, isReplacement: true };
  for await (const bytes of readRange(fd, plan.to, plan.oldSize, signal)) yield { bytes, isReplacement: false };
}

/** Bytes [from, to) of the opened file; ends early where the file does. */
export async function* readRange(fd: number, from: number, to: number, signal: AbortSignal): AsyncGenerator<Buffer> {
  let left = to - from;
  if (left <= 0) return;
  for await (const piece of readPieces(fd, { signal, from })) {
    yield piece.subarray(0, left);
    left -= piece.length;
    if (left <= 0) return;
  }
}

/** The uploaded text without its last newline, if it has one, and a newline. */
export async function* replacement(newlineBefore: boolean, upload: Upload): AsyncGenerator<Uint8Array> {
  const newline = Buffer.from('\n');
  if (newlineBefore) yield newline;
  let passed = 0;
  for await (const bytes of upload.chunks()) {
    passed += bytes.byteLength;
    const drops = passed === upload.size && bytes.at(-1) === NEWLINE;
    yield drops ? bytes.subarray(0, -1) : bytes;
  }
  yield newline;
}

interface FileScan {
  readonly from: number;
  readonly to: number;
  readonly lines: number;
  readonly size: number;
  readonly lastByte: number;
  readonly sha256: string;
}

/** Finds the byte range of the lines. A range beyond the end is empty and lies at the end. */
async function scanFile(fd: number, start: number, end: number, signal: AbortSignal): Promise<FileScan> {
  const hash: Hash = createHash('sha256');
  let size = 0;
  let newlines = 0;
  let lastByte = NEWLINE;
  let from = start === 1 ? 0 : undefined;
  let to: number | undefined;
  for await (const piece of readPieces(fd, { signal })) {
    hash.update(piece);
    for (let at = piece.indexOf(NEWLINE); at >= 0; at = piece.indexOf(NEWLINE, at + 1)) {
      newlines++;
      if (newlines === start - 1) from = size + at + 1;
      if (newlines === end) to = size + at + 1;
    }
    size += piece.length;
    lastByte = piece.at(-1) ?? lastByte;
  }
  const lines = newlines + (size > 0 && lastByte !== NEWLINE ? 1 : 0);
  return { from: from ?? size, to: to ?? size, lines, size, lastByte, sha256: hash.digest('hex') };
}

function countNewlines(bytes: Uint8Array): number {
  let count = 0;
  for (let at = bytes.indexOf(NEWLINE); at >= 0; at = bytes.indexOf(NEWLINE, at + 1)) count++;
  return count;
}
