/**
 * Verifies an audit log from its files alone, on the host or on a copy, without the daemon.
 *
 * The chain of hashes shows any change, removal, insertion or reordering of a line that has a successor. The seals show who could
 * have written it: with the log's first public key (or any anchor noted later) everything up to the last seal is what was recorded
 * then, also for somebody who has been root since. What no seal covers yet is only chained, and for at most two seal periods: an
 * open log whose last seal is older counts as cut short.
 */
import { readFile } from 'node:fs/promises';
import { join } from 'node:path';
import { ANCHOR_FILE, anchorLine, anchorOf, readAnchors, type Anchor } from './anchor.ts';
import { Altered, Chain } from './chain.ts';
import { readCheckpoint, type Checkpoint } from './checkpoint.ts';
import { listSegments, readLines, type Segment } from './segments.ts';
import { errnoOf } from '../errors.ts';

export interface Verdict {
  readonly state: 'good' | 'altered' | 'truncated';
  /** Records that were read, up to the first alteration. */
  readonly records: number;
  readonly seals: number;
  /** False when there was no key: the seals were not verified, and `good` speaks of the chain alone. */
  readonly keyed: boolean;
  /** `<segment>:<line>` of the first thing wrong. */
  readonly firstBad?: string;
  /** One sentence. */
  readonly message: string;
  /** What to note outside the host: later verifications can begin with it. */
  readonly anchor?: string;
}

export interface VerifyOptions {
  /** What an auditor holds; default the file beside the log. */
  readonly anchors?: readonly Anchor[];
  /** When the log was copied, in milliseconds since the epoch; default now. */
  readonly now?: number;
}

/** Seal period of a log that has no seal yet, in seconds. */
const DEFAULT_PERIOD = 60;
/** Seal periods after which an open end is too old. */
const PERIODS = 2;

/** The anchors beside a log; none for one that was never sealed. */
async function anchorsBeside(directory: string): Promise<Anchor[]> {
  try {
    return readAnchors(await readFile(join(directory, ANCHOR_FILE), 'utf8'));
  } catch (error) {
    if (errnoOf(error) === 'ENOENT') return [];
    throw error;
  }
}

/** Reads segments into a chain. Throws Altered. */
export async function followSegments(directory: string, segments: readonly Segment[], chain: Chain): Promise<void> {
  for (const segment of segments) {
    chain.startSegment(segment);
    let number = 0;
    for await (const line of readLines(join(directory, segment.name))) {
      const place = `${segment.name}:${(number += 1)}`;
      if (line.complete) chain.record(line, place);
      else chain.tornLine(line.bytes, segment.name, place);
    }
  }
}

const seconds = (milliseconds: number): string => `${Math.max(0, Math.round(milliseconds / 1000))} s`;

/** How the log ends: words, and whether an open end is older than it may be. */
function ending({ seals, first, last }: Chain, now: number): { readonly words: string; readonly tooOld: boolean } {
  // Only a verified seal can close a log, and only as its last line.
  const isFinal = last?.kind === 'seal' && last.seal?.sig === seals.last?.sig && seals.last?.final === true;
  if (isFinal || (last?.kind === 'stop' && !seals.hasKey)) return { words: 'the log is closed', tooOld: false };
  if (!seals.hasKey) return { words: 'the log is open: still being written, or its end is missing', tooOld: false };
  const sealed = seals.last;
  const age = now - Date.parse(sealed?.made ?? first?.time ?? '');
  const open = (last?.seq ?? 0) - (sealed?.head ?? 0);
  const words = `the log is open, its last seal ${sealed === undefined ? 'is still to come' : `is ${seconds(age)} old`}, ${open} records behind it`;
  return { words, tooOld: !(age <= PERIODS * 1000 * (sealed?.every ?? DEFAULT_PERIOD)) };
}

function summary(chain: Chain, checkpoint: Checkpoint | undefined, now: number): Verdict {
  const { records, last, missing, seals } = chain;
  const counts = { records, seals: seals.count, keyed: seals.hasKey };
  const anchor = seals.last === undefined ? {} : { anchor: anchorLine(anchorOf(seals.last)) };
  const [first] = missing;
  if (first !== undefined) return { state: 'truncated', ...counts, firstBad: first.place, message: first.message };
  if (last === undefined) return { state: 'truncated', ...counts, message: 'no record: the log is empty' };
  const { words, tooOld } = ending(chain, now);
  if (tooOld) return { state: 'truncated', ...counts, ...anchor, firstBad: 'the end', message: words };
  const source = seals.onCheckpointOnly ? ', and only their checkpoint vouches for the key that follows' : '';
  const expired = checkpoint === undefined ? '' : `; segments 1 to ${checkpoint.number} have expired${source}`;
  const sealed = seals.hasKey ? `, ${seals.count} seals` : ', seals not verified';
  const message = `${records} records${sealed}, the last record is ${last.seq} at ${last.time}; ${words}${expired}`;
  return { state: 'good', ...counts, ...anchor, message };
}

/**
 * Verifies the log in `directory`. Throws the system error when it cannot be read, and SyntaxError for a checkpoint that is not
 * one.
 */
export async function verifyAudit(directory: string, options: VerifyOptions = {}): Promise<Verdict> {
  const checkpoint = await readCheckpoint(directory);
  const anchors = options.anchors ?? (await anchorsBeside(directory));
  let chain: Chain | undefined;
  try {
    chain = new Chain(anchors, checkpoint);
    const segments = await listSegments(directory);
    await followSegments(
      directory,
      segments.filter(({ number }) => number > (checkpoint?.number ?? 0)),
      chain,
    );
  } catch (error) {
    if (!(error instanceof Altered)) throw error;
    const counts = { records: chain?.records ?? 0, seals: chain?.seals.count ?? 0, keyed: chain?.seals.hasKey ?? true };
    return { state: 'altered', ...counts, firstBad: error.place, message: error.message };
  }
  chain.finish();
  return summary(chain, checkpoint, options.now ?? Date.now());
}
