/**
 * Removes the oldest segments of an audit log. Never the broker's business: a program of its own, started by a timer, calls this.
 * What is removed is verified first, because a log that was tampered with is evidence and stays; where the rest begins is put
 * on record beside the log before anything is removed.
 */
import { constants } from 'node:fs';
import { open, readFile, rename, unlink } from 'node:fs/promises';
import { join } from 'node:path';
import { ANCHOR_FILE, readAnchors } from './anchor.ts';
import { Altered, Chain } from './chain.ts';
import { CHECKPOINT_FILE, readCheckpoint, type Checkpoint } from './checkpoint.ts';
import { listSegments, type Segment } from './segments.ts';
import { followSegments } from './verify.ts';

/** Nothing was removed, for a reason that a person must look at. */
export class NotExpired extends Error {}

export interface Expired {
  readonly removed: readonly string[];
  /** Undefined when nothing was old enough. */
  readonly checkpoint: Checkpoint | undefined;
}

/** When a segment was begun, in milliseconds since the epoch, from its name. */
function begunAt({ name }: Segment): number {
  return Date.parse(name.slice(0, 16).replace(/^(\d{4})(\d\d)(\d\d)T(\d\d)(\d\d)(\d\d)Z$/, '$1-$2-$3T$4:$5:$6Z'));
}

/** The oldest segments whose every record is older than `before`: those whose successor was begun before then. */
function oldOnes(segments: readonly Segment[], before: number): Segment[] {
  const keep = segments.findIndex((_, index) => {
    const next = segments[index + 1];
    return next === undefined || !(begunAt(next) < before);
  });
  return segments.slice(0, keep);
}

async function syncDirectory(directory: string): Promise<void> {
  const handle = await open(directory, constants.O_RDONLY | constants.O_DIRECTORY);
  await handle.sync().finally(() => handle.close());
}

async function writeCheckpoint(directory: string, checkpoint: Checkpoint): Promise<void> {
  const path = join(directory, `${CHECKPOINT_FILE}.new`);
  const { O_WRONLY, O_CREAT, O_TRUNC, O_NOFOLLOW } = constants;
  const file = await open(path, O_WRONLY | O_CREAT | O_TRUNC | O_NOFOLLOW, 0o600);
  try {
    await file.writeFile(`${JSON.stringify(checkpoint)}\n`);
    await file.sync();
  } finally {
    await file.close();
  }
  await rename(path, join(directory, CHECKPOINT_FILE));
  await syncDirectory(directory);
}

/** Follows the segments that are to go. Throws NotExpired unless all of them are whole and sealed. */
async function verified(directory: string, old: readonly Segment[], before: Checkpoint | undefined): Promise<Checkpoint> {
  const anchors = readAnchors(await readFile(join(directory, ANCHOR_FILE), 'utf8').catch(() => ''));
  try {
    const chain = new Chain(anchors, before);
    await followSegments(directory, old, chain);
    const { checkpoint } = chain;
    if (checkpoint === undefined || chain.seals.count === 0)
      throw new NotExpired('no seal vouches for the segments that are due');
    return checkpoint;
  } catch (error) {
    if (!(error instanceof Altered)) throw error;
    throw new NotExpired(`${error.place}: ${error.message}`);
  }
}

/**
 * Removes what is older than `keepDays`. The newest segment always stays. Throws NotExpired when what is due does not verify;
 * then nothing is removed. Throws system errors.
 */
export async function expireAudit(directory: string, keepDays: number, now = Date.now()): Promise<Expired> {
  const before = await readCheckpoint(directory);
  const segments = await listSegments(directory);
  // An earlier run may have been stopped between its two steps.
  const left = segments.filter(({ number }) => number <= (before?.number ?? 0));
  const old = oldOnes(segments.slice(left.length), now - keepDays * 86_400_000);
  const checkpoint = old.length === 0 ? undefined : await verified(directory, old, before);
  if (checkpoint !== undefined) await writeCheckpoint(directory, checkpoint);
  const removed = [...left, ...old].map(({ name }) => name);
  for (const name of removed) await unlink(join(directory, name));
  if (removed.length > 0) await syncDirectory(directory);
  return { removed, checkpoint };
}
