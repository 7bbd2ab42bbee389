/** How far something has come that arrives piece by piece: counts for whoever asked for progress. Looks at lengths alone. */
import { checkAbort } from '../abort.ts';
import type { OpContext, ReportProgress } from './operation.ts';

const NEWLINE = 0x0a;

/** Takes pieces of text and reports how many lines have come. */
export function linesRead(report: ReportProgress): (piece: Uint8Array) => void {
  let lines = 0;
  return (piece) => {
    for (let at = piece.indexOf(NEWLINE); at !== -1; at = piece.indexOf(NEWLINE, at + 1)) lines += 1;
    if (lines > 0) report(lines, `${lines} lines read`);
  };
}

/** Takes pieces and reports how many bytes have come. */
export function bytesRead(report: ReportProgress): (piece: Uint8Array) => void {
  let bytes = 0;
  return (piece) => {
    bytes += piece.length;
    report(bytes, `${bytes} bytes read`);
  };
}

/** Entries between two looks up from a walk. */
const ENTRIES_PER_LOOK = 1024;

/**
 * Counts the entries of a walk. Looks up from the work now and then: whether to go on (throws the signal's reason when not), and how
 * far it is.
 */
export function entriesLookedAt(context: Pick<OpContext, 'signal' | 'progress'>): (entries: number) => void {
  let looked = 0;
  let next = ENTRIES_PER_LOOK;
  return (entries) => {
    looked += entries;
    if (looked < next) return;
    next = looked + ENTRIES_PER_LOOK;
    checkAbort(context.signal);
    context.progress?.(looked, `${looked} entries looked at`);
  };
}

/** The same pieces; `told` sees each before it is handed on. */
export function watched(pieces: AsyncIterable<Buffer>, told: ((piece: Uint8Array) => void) | undefined): AsyncIterable<Buffer> {
  return told === undefined ? pieces : watching(pieces, told);
}

async function* watching(pieces: AsyncIterable<Buffer>, told: (piece: Uint8Array) => void): AsyncGenerator<Buffer> {
  for await (const piece of pieces) {
    told(piece);
    yield piece;
  }
}
