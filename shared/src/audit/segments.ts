/**
 * Names of the segments of an audit log, and their lines as bytes. Shared by the writer and the readers; neither trusts what a
 * segment holds.
 */
import { createReadStream } from 'node:fs';
import { readdir } from 'node:fs/promises';

export interface Segment {
  /** `<UTC start>-<number>.jsonl` */
  readonly name: string;
  /** Counts from 1 over the whole log; the order of segments. */
  readonly number: number;
}

const NAME = /^\d{8}T\d{6}Z-(\d{6,15})\.jsonl$/;

/** The name of segment `number` begun at `start`. */
export function segmentName(start: Date, number: number): string {
  const stamp = start.toISOString().replace(/[-:]|\.\d+/g, '');
  return `${stamp}-${String(number).padStart(6, '0')}.jsonl`;
}

/** The segments of a directory, oldest first (by number: clocks can step back). Other files are ignored. */
export async function listSegments(directory: string): Promise<Segment[]> {
  const segments = (await readdir(directory)).flatMap((name) => {
    const number = Number(NAME.exec(name)?.[1] ?? Number.NaN);
    return Number.isSafeInteger(number) ? [{ name, number }] : [];
  });
  return segments.sort((a, b) => a.number - b.number);
}

/** Longest line that readers hold in memory. The broker's own arguments are at most 1 MiB of JSON. */
export const MAX_LINE = 8 * 1024 * 1024;

export interface Line {
  /** Without the newline. */
  readonly bytes: Buffer;
  /** False for a last line without newline, and for one that is longer than MAX_LINE (only its first part is given). */
  readonly complete: boolean;
}

/** The lines of a file as bytes, from `start`, in flat memory and in pieces that leave the event loop free. */
export async function* readLines(path: string, start = 0): AsyncGenerator<Line> {
  const stream = createReadStream(path, { start, highWaterMark: 64 * 1024 });
  let held: Buffer[] = [];
  let size = 0;
  for await (const chunk of stream as AsyncIterable<Buffer>) {
    let from = 0;
    for (let end = chunk.indexOf(10); end >= 0; end = chunk.indexOf(10, from)) {
      held.push(chunk.subarray(from, end));
      yield { bytes: Buffer.concat(held), complete: true };
      held = [];
      size = 0;
      from = end + 1;
    }
    held.push(chunk.subarray(from));
    size += chunk.length - from;
    if (size > MAX_LINE) {
      yield { bytes: Buffer.concat(held), complete: false };
      return;
    }
  }
  if (size > 0) yield { bytes: Buffer.concat(held), complete: false };
}
