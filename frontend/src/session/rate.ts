/**
 * How fast one user may ask: a token bucket per user, over all of the user's sessions. Buckets keep their fill when the
 * configuration changes.
 */

interface Bucket {
  tokens: number;
  /** Milliseconds of the clock at which `tokens` was right. */
  at: number;
}

export interface Rate {
  /** Tokens that come in per second. */
  readonly requests_per_second: number;
  /** Tokens that a bucket holds. */
  readonly burst: number;
}

/** Buckets kept before full ones are thrown away. */
const MAX_BUCKETS = 1024;

export class RateLimiter {
  readonly #buckets = new Map<string, Bucket>();
  readonly #now: () => number;

  /** `now`: a monotonic clock in milliseconds. */
  constructor(now: () => number = () => performance.now()) {
    this.#now = now;
  }

  /** Takes one token of the user; false when there is none. */
  take(user: string, rate: Rate): boolean {
    const now = this.#now();
    const bucket = this.#buckets.get(user) ?? this.#add(user, rate, now);
    bucket.tokens = Math.min(rate.burst, bucket.tokens + ((now - bucket.at) / 1000) * rate.requests_per_second);
    bucket.at = now;
    if (bucket.tokens < 1) return false;
    bucket.tokens -= 1;
    return true;
  }

  #add(user: string, rate: Rate, now: number): Bucket {
    if (this.#buckets.size >= MAX_BUCKETS) this.#dropFull(rate, now);
    const bucket = { tokens: rate.burst, at: now };
    this.#buckets.set(user, bucket);
    return bucket;
  }

  /** A bucket that is full again says the same as none. */
  #dropFull(rate: Rate, now: number): void {
    for (const [user, bucket] of this.#buckets) {
      const missing = rate.burst - bucket.tokens;
      if (missing <= ((now - bucket.at) / 1000) * rate.requests_per_second) this.#buckets.delete(user);
    }
  }
}
