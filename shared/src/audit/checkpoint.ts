/**
 * Where a log begins whose oldest segments have expired. Written by the rotation after it has verified what it removes, so that
 * the rest can still be verified: the last removed line, and the key of the epoch that follows.
 */
import { readFile } from 'node:fs/promises';
import { join } from 'node:path';
import { errnoOf } from '../errors.ts';

export const CHECKPOINT_FILE = 'expired.json';

export interface Checkpoint {
  /** Number of the last segment that was removed. */
  readonly number: number;
  /** Its last record, and the SHA-256 of that line. */
  readonly seq: number;
  readonly hash: string;
  /** The epoch of the next seal, and its public key. */
  readonly epoch: number;
  readonly key: string;
}

const HASH = /^[0-9a-f]{64}$/;

function isCheckpoint(value: unknown): value is Checkpoint {
  if (typeof value !== 'object' || value === null) return false;
  const { number, seq, hash, epoch, key } = value as Partial<Record<keyof Checkpoint, unknown>>;
  const counts = [number, seq, epoch].every((count) => Number.isSafeInteger(count) && Number(count) > 0);
  return counts && [hash, key].every((text) => typeof text === 'string' && HASH.test(text));
}

/** The checkpoint of a log, or undefined when nothing has expired. Throws for one that is there and cannot be read. */
export async function readCheckpoint(directory: string): Promise<Checkpoint | undefined> {
  try {
    const value: unknown = JSON.parse(await readFile(join(directory, CHECKPOINT_FILE), 'utf8'));
    if (isCheckpoint(value)) return value;
  } catch (error) {
    if (errnoOf(error) === 'ENOENT') return undefined;
    if (errnoOf(error) !== undefined) throw error;
  }
  throw new SyntaxError(`${CHECKPOINT_FILE} is not what the rotation writes`);
}
