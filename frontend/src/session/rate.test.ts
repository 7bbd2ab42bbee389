/** The token bucket on a clock of the test's own. */
import assert from 'node:assert/strict';
import { test } from 'node:test';
import { RateLimiter } from './rate.ts';

const rate = { requests_per_second: 2, burst: 3 };

test('a burst, then the steady rate; each user has a bucket of their own', () => {
  let now = 0;
  const limiter = new RateLimiter(() => now);
  const taken = (user: string): boolean[] => [1, 2, 3, 4].map(() => limiter.take(user, rate));
  assert.deepEqual(taken('a'), [true, true, true, false]);
  assert.deepEqual(taken('b'), [true, true, true, false]);
  now = 499;
  assert.equal(limiter.take('a', rate), false);
  now = 1000;
  assert.deepEqual(taken('a'), [true, true, false, false]);
  now = 60_000;
  assert.deepEqual(taken('a'), [true, true, true, false]);
});

test('a new rate applies to the old fill', () => {
  let now = 0;
  const limiter = new RateLimiter(() => now);
  for (let i = 0; i < 3; i += 1) limiter.take('a', rate);
  assert.equal(limiter.take('a', { requests_per_second: 1000, burst: 1000 }), false);
  now = 10;
  assert.equal(limiter.take('a', { requests_per_second: 1000, burst: 1000 }), true);
});
