/**
 * Keeps a stream of bytes of any length: in memory while it is small, then in a temporary file without a name. What is spooled
 * may be another user's file content, so the file is never to be found by a path.
 */
import { closeSync, constants, openSync, read, unlinkSync, write } from 'node:fs';
import { randomBytes } from 'node:crypto';
import { promisify } from 'node:util';

const readAt = promisify(read);
const writeAt = promisify(write);

const DEFAULT_MEMORY = 128 * 1024;
const PIECE = 64 * 1024;
const STORED = Promise.resolve();
/** /var/tmp first: it is on a disk where /tmp may be memory. */
const DIRECTORIES = ['/var/tmp', '/tmp'];

/** Opens a new temporary file, readable and writable, that has no name. Throws the system error of the last directory tried. */
export function openUnlinked(directory?: string): number {
  const candidates = directory === undefined ? DIRECTORIES : [directory];
  let failure: unknown;
  for (const candidate of candidates) {
    const path = `${candidate}/.steward-${randomBytes(12).toString('hex')}`;
    try {
      const { O_RDWR, O_CREAT, O_EXCL, O_NOFOLLOW } = constants;
      const fd = openSync(path, O_RDWR | O_CREAT | O_EXCL | O_NOFOLLOW, 0o600);
      unlinkSync(path);
      return fd;
    } catch (error) {
      failure = error;
    }
  }
  throw failure;
}

export interface SpoolOptions {
  /** Where the temporary file is made; default /var/tmp, then /tmp. */
  readonly directory?: string;
  /** Bytes kept in memory before the file is made; default 128 KiB. */
  readonly memoryBytes?: number;
}

export class Spool {
  readonly #directory: string | undefined;
  readonly #memoryBytes: number;
  #memory: Uint8Array[] = [];
  #fd: number | undefined;
  #size = 0;
  #closed = false;
  /** Appends to the file are done one after the other, however they are called; undefined while memory is enough. */
  #tail: Promise<void> | undefined;
  #users = 0;

  constructor(options: SpoolOptions = {}) {
    this.#directory = options.directory;
    this.#memoryBytes = options.memoryBytes ?? DEFAULT_MEMORY;
  }

  /** Bytes appended so far. */
  get size(): number {
    return this.#size;
  }

  /** Appends bytes; they are kept, not copied, and must not change any more. Rejects with the system error of the file. */
  append(bytes: Uint8Array): Promise<void> {
    if (this.#tail === undefined && !this.#closed && this.#size + bytes.byteLength <= this.#memoryBytes) {
      this.#memory.push(bytes);
      this.#size += bytes.byteLength;
      return STORED;
    }
    const done = (this.#tail ?? STORED).then(() => this.#store(bytes));
    this.#tail = done.catch(() => undefined);
    return done;
  }

  async #store(bytes: Uint8Array): Promise<void> {
    await this.#using(async () => {
      const fd = this.#fd ?? (await this.#moveToFile());
      await writeFully(fd, bytes, this.#size);
    });
    this.#size += bytes.byteLength;
  }

  async #moveToFile(): Promise<number> {
    const fd = openUnlinked(this.#directory);
    this.#fd = fd;
    let position = 0;
    for (const piece of this.#memory) {
      await writeFully(fd, piece, position);
      position += piece.byteLength;
    }
    this.#memory = [];
    return fd;
  }

  /**
   * The content from its beginning, in pieces of at most 64 KiB, each valid until the next is asked for. May be called again, also while
   * another reader is at work.
   */
  async *chunks(): AsyncGenerator<Uint8Array> {
    await this.#tail;
    if (this.#closed) throw new Error('the spool is closed');
    if (this.#fd === undefined) yield* pieces([...this.#memory]);
    else yield* this.#fileChunks(this.#fd);
  }

  /** One buffer for all: whoever reads slowly holds no more than that. */
  async *#fileChunks(fd: number): AsyncGenerator<Uint8Array> {
    const buffer = new Uint8Array(Math.min(PIECE, this.#size));
    for (let position = 0; position < this.#size;) {
      const length = Math.min(buffer.byteLength, this.#size - position);
      const { bytesRead } = await this.#using(() => readAt(fd, buffer, 0, length, position));
      if (bytesRead === 0) throw new Error('the spool file is shorter than what was written');
      position += bytesRead;
      yield buffer.subarray(0, bytesRead);
    }
  }

  /** Gives memory and file back; an access that is under way ends first. Safe to call twice. */
  close(): void {
    this.#closed = true;
    this.#memory = [];
    this.#closeIfDone();
  }

  /** Keeps the descriptor open during one access: its number could otherwise become another file's. */
  async #using<T>(access: () => Promise<T>): Promise<T> {
    if (this.#closed) throw new Error('the spool is closed');
    this.#users++;
    try {
      return await access();
    } finally {
      this.#users--;
      this.#closeIfDone();
    }
  }

  #closeIfDone(): void {
    if (!this.#closed || this.#users > 0 || this.#fd === undefined) return;
    closeSync(this.#fd);
    this.#fd = undefined;
  }
}

function* pieces(memory: readonly Uint8Array[]): Generator<Uint8Array> {
  for (const bytes of memory) {
    for (let start = 0; start < bytes.byteLength; start += PIECE) yield bytes.subarray(start, start + PIECE);
  }
}

async function writeFully(fd: number, bytes: Uint8Array, position: number): Promise<void> {
  for (let done = 0; done < bytes.byteLength;) {
    const { bytesWritten } = await writeAt(fd, bytes, done, bytes.byteLength - done, position + done);
    done += bytesWritten;
  }
}
