/**
 * Anchors: what an auditor keeps outside the host. One line says which public key verifies the seals from one epoch on, and up to
 * which record the chain had come then. The log's first key, every line in the journal and what `audit verify` prints have this
 * form, and any text with such lines in it (an excerpt of the journal) serves as a key file.
 */
import { GENESIS } from './record.ts';
import type { SealBody } from './seal.ts';

export interface Anchor {
  readonly epoch: number;
  /** Public key of that epoch, hex. */
  readonly key: string;
  /** The last record that was sealed before, and the SHA-256 of its line; 0 and zeros at the beginning of a log. */
  readonly seq: number;
  readonly hash: string;
}

/** Name of the file beside the log that holds its first anchor. */
export const ANCHOR_FILE = 'seal.pub';

const LINE = /\bsteward-audit epoch (\d{1,15}) key ([0-9a-f]{64}) after (\d{1,15}) ([0-9a-f]{64})\b/g;

export function anchorLine({ epoch, key, seq, hash }: Anchor): string {
  return `steward-audit epoch ${epoch} key ${key} after ${seq} ${hash}`;
}

/** The anchor at the beginning of a log. */
export function firstAnchor(epoch: number, key: string): Anchor {
  return { epoch, key, seq: 0, hash: GENESIS };
}

/** What a seal says about the seals after it. */
export function anchorOf({ epoch, key, head, hash }: SealBody): Anchor {
  return { epoch: epoch + 1, key, seq: head, hash };
}

/** All anchors in a text, in the order of their epochs. */
export function readAnchors(text: string): Anchor[] {
  const found = [...text.matchAll(LINE)].map(([, epoch, key = '', seq, hash = '']) => {
    return { epoch: Number(epoch), key, seq: Number(seq), hash };
  });
  return found
    .filter(({ epoch, seq }) => Number.isSafeInteger(epoch) && Number.isSafeInteger(seq))
    .sort((a, b) => a.epoch - b.epoch);
}
