/**
 * A file of written blocks that is given up when the disk is full, so that the outcome of what has already happened can still be
 * recorded. Until it is whole again nothing new is permitted.
 */
import { randomFillSync } from 'node:crypto';
import { constants } from 'node:fs';
import { open, type FileHandle } from 'node:fs/promises';
import type { AuditDirectory } from './directory.ts';

/** Far more than the outcomes of all calls that can be in flight at once. */
const RESERVE_BYTES = 256 * 1024;

export class Reserve {
  readonly #path: string;
  #whole = false;

  constructor(directory: AuditDirectory) {
    this.#path = directory.at('reserve');
  }

  /** Makes the reserve whole when it is not. Throws the system error when there is no room for it. */
  async ensure(): Promise<void> {
    if (this.#whole) return;
    const file = await this.#open();
    try {
      // Random bytes: a file system that compresses or finds holes must keep real blocks.
      const { bytesWritten } = await file.write(randomFillSync(Buffer.alloc(RESERVE_BYTES)), 0, RESERVE_BYTES, 0);
      if (bytesWritten < RESERVE_BYTES) throw Object.assign(new Error('short write'), { code: 'ENOSPC' });
      await file.datasync();
      this.#whole = true;
    } catch (error) {
      await file.truncate(0).catch(() => undefined);
      throw error;
    } finally {
      await file.close();
    }
  }

  /** Gives the blocks back, if there are any. */
  async release(): Promise<void> {
    this.#whole = false;
    const file = await this.#open();
    try {
      await file.truncate(0);
      await file.datasync();
    } finally {
      await file.close();
    }
  }

  #open(): Promise<FileHandle> {
    return open(this.#path, constants.O_RDWR | constants.O_CREAT | constants.O_NOFOLLOW, 0o600);
  }
}
