/**
 * What a seal is: a signature over the head of the chain with the key of this epoch, naming the public key of the next one. The
 * secret of an epoch is destroyed as soon as it has signed, so whoever becomes root later cannot sign the past again. Shared by
 * the writer and the verifier.
 */

/** An Ed25519 signature (RFC 8032) over a head of the chain. Hashes, keys and signatures are lower-case hex. */
export interface SealBody {
  /** Counts from 1; the key of this epoch made the signature. */
  readonly epoch: number;
  /** `seq` of the record up to which everything is sealed, and the SHA-256 of its line. */
  readonly head: number;
  readonly hash: string;
  /** When it was made, RFC 3339 UTC; the time of the record too. */
  readonly made: string;
  /** Seconds after which the next one follows at the latest. */
  readonly every: number;
  /** True on the last seal of a run that ended in order. */
  readonly final: boolean;
  /** Public key of the next epoch. */
  readonly key: string;
  readonly sig: string;
}

/** A seal that is to be made, without what only the keeper of the secret can add. */
export type SealRequest = Omit<SealBody, 'epoch' | 'key' | 'sig'>;

const HEX_32 = /^[0-9a-f]{64}$/;
const HEX_64 = /^[0-9a-f]{128}$/;

/** The bytes that are signed. One line for each member, so that no two seals have the same bytes. */
export function sealedBytes(seal: Omit<SealBody, 'sig'>): Buffer {
  const { epoch, head, hash, made, every, final, key } = seal;
  const lines = ['steward audit seal 1', epoch, head, hash, made, every, final ? 'final' : 'open', key];
  return Buffer.from(`${lines.join('\n')}\n`);
}

/** The members in their order in the log. A seal has one form only: any other bytes are not what was written. */
export function orderedSeal({ epoch, head, hash, made, every, final, key, sig }: SealBody): SealBody {
  return { epoch, head, hash, made, every, final, key, sig };
}

/** True when a value read from a log has the shape of a seal; nothing is said about its signature. */
export function isSeal(value: unknown): value is SealBody {
  if (typeof value !== 'object' || value === null) return false;
  const seal = value as Partial<Record<keyof SealBody, unknown>>;
  const counts = [seal.epoch, seal.head, seal.every].every((count) => Number.isSafeInteger(count) && Number(count) > 0);
  const texts = [seal.hash, seal.key].every((text) => typeof text === 'string' && HEX_32.test(text));
  const { made, sig } = seal;
  const dated = typeof made === 'string' && made.length <= 32 && !Number.isNaN(Date.parse(made));
  return counts && texts && dated && typeof seal.final === 'boolean' && typeof sig === 'string' && HEX_64.test(sig);
}
