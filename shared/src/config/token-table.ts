/**
 * Who a token belongs to. Trusted with the salted hashes of all tokens, and with comparing every one of them, whatever is
 * presented, so that time tells nothing about them.
 */
import { createHash, timingSafeEqual } from 'node:crypto';
import { addressPermitted } from './network.ts';
import type { TokenEntry, UserEntry } from './types.ts';

/** Longer than any token; hashing more would let the presenter choose how long the comparison takes. */
const MAX_TOKEN_LENGTH = 1024;

export interface TokenOwner {
  readonly user: UserEntry;
  readonly token: TokenEntry;
}

interface Known extends TokenOwner {
  readonly salt: Buffer;
  readonly hash: Buffer;
}

export class TokenTable {
  readonly #known: readonly Known[];

  constructor(users: readonly UserEntry[]) {
    this.#known = users.flatMap((user) =>
      user.tokens.map((token) => ({ user, token, salt: Buffer.from(token.salt, 'hex'), hash: Buffer.from(token.hash, 'hex') })),
    );
  }

  /**
   * The owner of a token that is good now and from this address, else undefined: a wrong, an expired and a displaced token look
   * alike. `now` in milliseconds since the epoch.
   */
  owner(text: string, address: string, now: number): TokenOwner | undefined {
    const presented = Buffer.from(text.length > MAX_TOKEN_LENGTH ? '' : text);
    let owner: TokenOwner | undefined;
    for (const known of this.#known) {
      const digest = createHash('sha256').update(known.salt).update(presented).digest();
      if (timingSafeEqual(digest, known.hash)) owner = known;
    }
    if (owner === undefined || expiryOf(owner) <= now) return undefined;
    const { user, token } = owner;
    return addressPermitted(user.cidrs, address) && addressPermitted(token.cidrs, address) ? owner : undefined;
  }
}

/** When user or token expires, in milliseconds since the epoch; Infinity for never. */
export function expiryOf({ user, token }: TokenOwner): number {
  const times = [user.not_after, token.not_after].map((time) => (time === undefined ? Infinity : Date.parse(time)));
  return Math.min(...times);
}
