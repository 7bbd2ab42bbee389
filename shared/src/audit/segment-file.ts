/**
 * One segment being written. Its good end is the end of the last write that is known to be durable; after a write that failed the
 * file is cut back to there, so that no half record stays.
 */
import { constants } from 'node:fs';
import { open, type FileHandle } from 'node:fs/promises';
import { segmentName } from './segments.ts';
import type { AuditDirectory } from './directory.ts';

const { O_WRONLY, O_APPEND, O_CREAT, O_EXCL, O_NOFOLLOW } = constants;

export class SegmentFile {
  readonly name: string;
  readonly number: number;
  /** UTC day in which it was begun, YYYYMMDD. */
  readonly day: string;
  readonly #file: FileHandle;
  #end = 0;
  #broken = false;

  private constructor(file: FileHandle, name: string, number: number) {
    this.#file = file;
    this.name = name;
    this.number = number;
    this.day = name.slice(0, 8);
  }

  static async create(directory: AuditDirectory, number: number): Promise<SegmentFile> {
    const name = segmentName(new Date(), number);
    const file = await open(directory.at(name), O_WRONLY | O_APPEND | O_CREAT | O_EXCL | O_NOFOLLOW, 0o600);
    directory.sync();
    return new SegmentFile(file, name, number);
  }

  /** Bytes up to the good end. */
  get size(): number {
    return this.#end;
  }

  /** True when the file's end is no longer known; a new segment must be begun. */
  get broken(): boolean {
    return this.#broken;
  }

  /** Resolves when the bytes are durable. Throws the system error, with nothing of them left in the file. */
  async write(bytes: Uint8Array): Promise<void> {
    let written = 0;
    try {
      while (written < bytes.length) {
        written += (await this.#file.write(bytes, written, bytes.length - written)).bytesWritten;
      }
      await this.#file.datasync();
    } catch (error) {
      // After a failed fdatasync(2) the kernel may have dropped what was to be written: the file cannot be relied on again.
      this.#broken = written === bytes.length;
      await this.#cutBack();
      throw error;
    }
    this.#end += written;
  }

  async #cutBack(): Promise<void> {
    try {
      await this.#file.truncate(this.#end);
      await this.#file.datasync();
    } catch {
      this.#broken = true;
    }
  }

  async close(): Promise<void> {
    await this.#file.close();
  }
}
