/** Selects lines of a stream. Pure but for what it reads and where it puts it. */
import { StewardError } from '../../errors.ts';
import type { CappedOutput } from './capped.ts';

/** Bytes of one line without its newline. */
const MAX_LINE = 65_536;
const NEWLINE = 10;

export interface LineRange {
  /** First line, from 1. */
  readonly start: number;
  /** Last line; Infinity for the end of the file. */
  readonly end: number;
}

export interface FoundLines {
  /** Lines seen: all of the file when it ends before the range does. */
  readonly lines: number;
  /** Offset of the first selected byte. */
  readonly from: number;
  /** The file has no bytes behind what was selected. */
  readonly complete: boolean;
}

/** Copies the lines of a range with their ends to the output, until that wants no more. Throws `line_too_long`. */
export async function copyLines(pieces: AsyncIterable<Buffer>, range: LineRange, output: CappedOutput): Promise<FoundLines> {
  const scan = new LineScan(range);
  for await (const piece of pieces) {
    if (scan.past) return scan.found(false);
    const { start, end } = scan.take(piece);
    if (!(await output.add(piece.subarray(start, end))) || end < piece.length) return scan.found(false);
  }
  return scan.found(true);
}

class LineScan {
  readonly #range: LineRange;
  /** The line at hand, from 1, and its bytes so far. */
  #line = 1;
  #length = 0;
  #position = 0;
  #from: number | undefined;

  constructor(range: LineRange) {
    this.#range = range;
  }

  /** True behind the last line of the range. */
  get past(): boolean {
    return this.#line > this.#range.end;
  }

  /** Part of the piece that is in the range; what is behind `end` is not looked at. */
  take(piece: Buffer): { start: number; end: number } {
    let start = this.#line >= this.#range.start ? 0 : piece.length;
    let at = 0;
    while (at < piece.length && !this.past) {
      const newline = piece.indexOf(NEWLINE, at);
      this.#length += (newline < 0 ? piece.length : newline) - at;
      if (this.#length > MAX_LINE) throw new StewardError('line_too_long', { line: this.#line });
      at = newline < 0 ? piece.length : newline + 1;
      if (newline < 0) break;
      this.#line++;
      this.#length = 0;
      if (this.#line === this.#range.start) start = at;
    }
    if (start < at) this.#from ??= this.#position + start;
    this.#position += piece.length;
    return { start: Math.min(start, at), end: at };
  }

  found(complete: boolean): FoundLines {
    return { lines: this.#line - (this.#length > 0 ? 0 : 1), from: this.#from ?? this.#position, complete };
  }
}
