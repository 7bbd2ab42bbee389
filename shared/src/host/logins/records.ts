/**
 * The files of login records, wtmp and btmp (utmp(5)): records of one size, the newest last. The size is that of the C library's
 * struct utmp, which has wider times on some architectures.
 */
import { closeSync, fstatSync, openSync, readSync } from 'node:fs';

/** Values of ut_type that matter. */
export const RECORD_TYPES = { runLevel: 1, boot: 2, user: 7, dead: 8 } as const;

/** One record. */
export interface LoginRecord {
  readonly type: number;
  readonly pid: number;
  /** Terminal without `/dev/`. */
  readonly line: string;
  readonly user: string;
  readonly host: string;
  /** Seconds since 1970. */
  readonly time: number;
}

/** Size of a record and where its time stands, which is of 32 or 64 bits. */
export interface RecordLayout {
  readonly bytes: 384 | 400;
  readonly timeAt: number;
}

const NARROW: RecordLayout = { bytes: 384, timeAt: 340 };
const WIDE: RecordLayout = { bytes: 400, timeAt: 344 };

/** The layout that the C library of an architecture has (as Node names it). */
export function layoutFor(architecture: string): RecordLayout {
  return architecture === 'arm64' ? WIDE : NARROW;
}

const BLOCK_RECORDS = 170;

/** The records of a file, newest first; a part of a record at the end is left out. Throws the system error. */
export function* recordsBackwards(file: string, layout: RecordLayout): Generator<LoginRecord> {
  const fd = openSync(file, 'r');
  try {
    let end = Math.floor(fstatSync(fd).size / layout.bytes);
    const buffer = Buffer.alloc(BLOCK_RECORDS * layout.bytes);
    while (end > 0) {
      const count = Math.min(BLOCK_RECORDS, end);
      const start = end - count;
      const read = readSync(fd, buffer, 0, count * layout.bytes, start * layout.bytes);
      // Less when the file was rotated meanwhile.
      for (let index = Math.floor(read / layout.bytes) - 1; index >= 0; index--) {
        yield recordOf(buffer.subarray(index * layout.bytes, (index + 1) * layout.bytes), layout);
      }
      end = start;
    }
  } finally {
    closeSync(fd);
  }
}

function recordOf(bytes: Buffer, { timeAt, bytes: size }: RecordLayout): LoginRecord {
  return {
    type: bytes.readInt16LE(0),
    pid: bytes.readInt32LE(4),
    line: textOf(bytes.subarray(8, 40)),
    user: textOf(bytes.subarray(44, 76)),
    host: textOf(bytes.subarray(76, 332)),
    // The narrow field is read without sign: it lasts until 2106.
    time: size === 384 ? bytes.readUInt32LE(timeAt) : Number(bytes.readBigInt64LE(timeAt)),
  };
}

/** Up to the first NUL; a field that is full has none. */
function textOf(field: Buffer): string {
  const end = field.indexOf(0);
  return field.toString('utf8', 0, end < 0 ? field.length : end);
}
