/**
 * Verifies the seals of a log while its lines go by: each is signed with the key that the one before named, names the head of the
 * chain as it is, and no epoch is left out. What an auditor noted elsewhere (anchors) must agree with what is found here.
 */
import { createPublicKey, verify, type KeyObject } from 'node:crypto';
import type { Anchor } from './anchor.ts';
import type { Checkpoint } from './checkpoint.ts';
import type { AuditRecord } from './record.ts';
import { isSeal, orderedSeal, sealedBytes, type SealBody } from './seal.ts';

/** Something that was changed: thrown with the words for it. */
export class SealBroken extends Error {}

/** What precedes the 32 bytes of an Ed25519 key in SubjectPublicKeyInfo (RFC 8410 section 4). */
const SPKI = Buffer.from('302a300506032b6570032100', 'hex');

function publicKey(hex: string): KeyObject {
  return createPublicKey({ key: Buffer.concat([SPKI, Buffer.from(hex, 'hex')]), format: 'der', type: 'spki' });
}

/** Node's own Ed25519, not the code that signs: the log does not depend on one implementation. */
function isSigned(seal: SealBody, key: string): boolean {
  try {
    return verify(null, sealedBytes(seal), publicKey(key), Buffer.from(seal.sig, 'hex'));
  } catch {
    return false; // not a point of the curve
  }
}

export class SealVerifier {
  count = 0;
  /** The last seal whose signature was verified, or that could not be for want of any key. */
  last: SealBody | undefined;
  readonly #anchors: readonly Anchor[];
  readonly #bySeq: ReadonlyMap<number, readonly Anchor[]>;
  readonly #byEpoch: ReadonlyMap<number, readonly Anchor[]>;
  readonly #checkpoint: Checkpoint | undefined;
  /** The epoch from which on there is a key. */
  readonly #start: number;
  #epoch: number;
  #key: string | undefined;
  /** Hashes of lines that a seal may still name. */
  readonly #hashes = new Map<number, string>();
  /** Heads below this are not here, so nothing can be compared with them. */
  #from: number;

  /** Without anchors and checkpoint there is no key to begin with: seals are then only counted. */
  constructor(anchors: readonly Anchor[], checkpoint: Checkpoint | undefined) {
    const [first] = anchors;
    this.#anchors = anchors;
    this.#bySeq = Map.groupBy(anchors, ({ seq }) => seq);
    this.#byEpoch = Map.groupBy(anchors, ({ epoch }) => epoch);
    this.#checkpoint = checkpoint;
    this.#from = checkpoint?.seq ?? 0;
    this.#start = checkpoint?.epoch ?? first?.epoch ?? 1;
    this.#epoch = this.#start;
    this.#key = checkpoint?.key ?? first?.key;
    if (checkpoint === undefined) return;
    this.#agree(checkpoint.epoch, checkpoint.key);
    this.line(checkpoint.seq, checkpoint.hash);
  }

  /** False when there was no key to begin with. */
  get hasKey(): boolean {
    return this.#key !== undefined;
  }

  /** The next epoch and its key, as far as the log goes. */
  get next(): { readonly epoch: number; readonly key: string | undefined } {
    return { epoch: this.#epoch, key: this.#key };
  }

  /** True when the key to begin with is that of the checkpoint, and no anchor knows it or a later one. */
  get onCheckpointOnly(): boolean {
    const start = this.#checkpoint;
    return start !== undefined && !this.#anchors.some(({ epoch }) => epoch >= start.epoch);
  }

  /** An anchor that the log, which ends with record `seq`, does not reach. */
  unreached(seq: number): Anchor | undefined {
    return this.#anchors.find((anchor) => anchor.epoch > this.#epoch || anchor.seq > seq);
  }

  /** The chain begins anew behind lines that are missing. */
  gap(seq: number): void {
    this.#hashes.clear();
    this.#from = seq;
  }

  /** A line of the chain. Throws SealBroken when an anchor knows another. */
  line(seq: number, hash: string): void {
    this.#hashes.set(seq, hash);
    if (this.#bySeq.get(seq)?.some((anchor) => anchor.hash !== hash) === true) {
      throw new SealBroken(`record ${seq} is not the one that was noted elsewhere`);
    }
  }

  /**
   * A record of kind `seal`, with the exact bytes of its line. Returns the words for what is missing before it, if anything is.
   * Throws SealBroken.
   */
  seal(record: AuditRecord, bytes: Buffer): string | undefined {
    const { seal, seq, prev } = record;
    if (!isSeal(seal)) throw new SealBroken('not a seal');
    const line = JSON.stringify({ seq, time: seal.made, prev, kind: 'seal', seal: orderedSeal(seal) });
    if (!bytes.equals(Buffer.from(line))) throw new SealBroken('a seal with something else in it');
    if (JSON.stringify(this.last) === JSON.stringify(orderedSeal(seal))) return undefined; // recorded again after a crash
    this.#checkHead(seal, seq);
    this.count += 1;
    if (this.#key === undefined) this.last = orderedSeal(seal);
    else if (seal.epoch < this.#start && this.last === undefined) this.#agree(seal.epoch + 1, seal.key);
    else return this.#verify(seal, this.#key);
    return undefined; // made before the first key that is known here: the anchor vouches for the lines
  }

  #verify(seal: SealBody, expected: string): string | undefined {
    const { epoch } = seal;
    if (epoch < this.#epoch) throw new SealBroken(`a seal of epoch ${epoch} where ${this.#epoch} belongs`);
    const absent =
      epoch - 1 === this.#epoch ? `the seal of epoch ${epoch - 1}` : `the seals of epochs ${this.#epoch} to ${epoch - 1}`;
    const key = epoch === this.#epoch ? expected : this.#byEpoch.get(epoch)?.[0]?.key;
    if (key !== undefined && !isSigned(seal, key)) throw new SealBroken(`not signed with the key of epoch ${epoch}`);
    this.#agree(epoch + 1, seal.key);
    const skipped = epoch > this.#epoch ? `${absent}, and what was sealed with it: not here` : undefined;
    this.last = orderedSeal(seal);
    this.#epoch = epoch + 1;
    this.#key = seal.key;
    return skipped;
  }

  #checkHead({ head, hash }: SealBody, seq: number): void {
    const known = this.#hashes.get(head);
    if (known === undefined ? head >= this.#from || head >= seq : known !== hash) {
      throw new SealBroken(`seals another record ${head} than the one that is here`);
    }
    for (const old of this.#hashes.keys()) if (old < head) this.#hashes.delete(old);
  }

  #agree(epoch: number, key: string): void {
    if (this.#byEpoch.get(epoch)?.some((anchor) => anchor.key !== key) === true) {
      throw new SealBroken(`the key of epoch ${epoch} is not the one that was noted elsewhere`);
    }
  }
}
