/** Lines of large text files, read piece by piece: for parsers in worker threads, where waiting for the disk holds up nobody. */
import { readSync } from 'node:fs';

const PIECE = 256 * 1024;
const NEWLINE = 10;

/**
 * The lines of an open file from where it stands, without their ends, a piece's worth at a time. Bytes that are not UTF-8 become
 * U+FFFD. Throws the system error.
 */
export function* linesByPiece(fd: number): Generator<string[]> {
  const buffer = Buffer.allocUnsafe(PIECE);
  let rest: Buffer = Buffer.alloc(0);
  for (let read = readSync(fd, buffer, 0, PIECE, null); read > 0; read = readSync(fd, buffer, 0, PIECE, null)) {
    const bytes = Buffer.concat([rest, buffer.subarray(0, read)]);
    const end = bytes.lastIndexOf(NEWLINE);
    rest = bytes.subarray(end + 1);
    if (end >= 0) yield bytes.toString('utf8', 0, end).split('\n');
  }
  if (rest.length > 0) yield [rest.toString('utf8')];
}
