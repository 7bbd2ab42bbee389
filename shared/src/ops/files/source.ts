/**
 * Reading files of every kind piece by piece. Files of procfs, sysfs and their like are read in order until they end, because
 * their size says nothing; all others at positions.
 */
import { read, readSync, statfsSync, type Stats } from 'node:fs';
import { promisify } from 'node:util';
import { checkAbort } from '../../abort.ts';
import { errnoOf } from '../../errors.ts';
import { heldPath } from '../../host/descriptors.ts';
import { isMadeUp } from '../../host/device-number.ts';
import { SNIFF_BYTES } from '../../host/mime.ts';

const readInto = promisify(read);
const PIECE = 64 * 1024;

/** File systems whose files are made when they are read (statfs(2), linux/magic.h). */
const PSEUDO: ReadonlySet<number> = new Set([
  0x9fa0, // proc
  0x62656572, // sysfs
  0x64626720, // debugfs
  0x74726163, // tracefs
  0x27e0eb, // cgroup
  0x63677270, // cgroup2
  0x62656570, // configfs
  0x73636673, // securityfs
  0xde5e81e4, // efivarfs
  0xcafe4a11, // bpf
  0x6165676c, // pstore
  0xf97cff8c, // selinux
]);
const SYSFS = 0x62656572;

export function isPseudo(fd: number): boolean {
  return PSEUDO.has(statfsSync(heldPath(fd)).type);
}

export function isSysfs(fd: number): boolean {
  return statfsSync(heldPath(fd)).type === SYSFS;
}

export interface ReadOptions {
  readonly signal: AbortSignal;
  /** Bytes to pass over first. */
  readonly from?: number;
  /** Read on from where the descriptor stands (pseudo-files); `from` is then read and dropped. */
  readonly sequential?: boolean;
}

/**
 * The content from `from` to the end (or to EAGAIN, where a pseudo-file would wait for more). A piece is valid until the next is
 * asked for. Throws the system error, and the signal's reason when it is aborted.
 */
export async function* readPieces(fd: number, { signal, from = 0, sequential = false }: ReadOptions): AsyncGenerator<Buffer> {
  const buffer = Buffer.allocUnsafe(PIECE);
  let position = from;
  let skip = sequential ? from : 0;
  for (;;) {
    checkAbort(signal);
    const count = await readSome(fd, buffer, sequential ? null : position);
    if (count === 0) return;
    position += count;
    const dropped = Math.min(skip, count);
    skip -= dropped;
    if (dropped < count) yield buffer.subarray(dropped, count);
  }
}

async function readSome(fd: number, buffer: Buffer, position: number | null): Promise<number> {
  try {
    return (await readInto(fd, buffer, 0, buffer.length, position)).bytesRead;
  } catch (error) {
    if (errnoOf(error) === 'EAGAIN') return 0;
    throw error;
  }
}

/** A file that was opened, and what the kernel then said of it. */
export interface OpenedFile {
  readonly fd: number;
  readonly stat: Stats;
}

/** An opened regular file with its first bytes, which tell what it is. */
export class Source {
  readonly fd: number;
  /** The first 8192 bytes, less if the file is shorter. */
  readonly head: Buffer;
  /** Bytes of the file when it was opened; null for pseudo-files, whose size says nothing. */
  readonly size: number | null;

  private constructor(fd: number, head: Buffer, size: number | null) {
    this.fd = fd;
    this.head = head;
    this.size = size;
  }

  get pseudo(): boolean {
    return this.size === null;
  }

  /** Reads the head. The descriptor stays the caller's. */
  static async open({ fd, stat }: OpenedFile): Promise<Source> {
    const size = isMadeUp(stat.dev) && isPseudo(fd) ? null : stat.size; // most files need not be asked for their file system
    const head = Buffer.allocUnsafe(SNIFF_BYTES);
    let filled = 0;
    while (filled < head.length) {
      // Of a real file at once: opening it could have waited for its disk as well, and most are read whole with this. What a
      // pseudo-file has to say may be long in coming.
      const rest = head.subarray(filled);
      const count = size === null ? await readSome(fd, rest, null) : readSync(fd, rest, 0, rest.length, filled);
      filled += count;
      // Asking a small file once more whether it has ended would cost as much as reading it.
      if (count === 0 || filled === size) break;
    }
    return new Source(fd, head.subarray(0, filled), size);
  }

  /** True when the head is all there is. */
  get whole(): boolean {
    return this.head.length < SNIFF_BYTES;
  }

  /** The content from `from`; for a pseudo-file only once, because what was read from it is gone. */
  async *pieces(from: number, signal: AbortSignal): AsyncGenerator<Buffer> {
    const { length } = this.head;
    if (from < length) yield this.head.subarray(from);
    if (this.whole) return;
    const rest = this.pseudo ? { sequential: true, from: Math.max(0, from - length) } : { from: Math.max(from, length) };
    yield* readPieces(this.fd, { signal, ...rest });
  }
}
