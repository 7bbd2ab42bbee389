/** Headers that carry a token and headers that do not. */
import assert from 'node:assert/strict';
import { test } from 'node:test';
import { bearerToken, challenge } from './bearer.ts';

test('the scheme is matched in any case, the token kept as it is', () => {
  assert.equal(bearerToken('Bearer aB9-._~+/='), 'aB9-._~+/=');
  assert.equal(bearerToken('bearer T'), 'T');
  assert.equal(bearerToken('BEARER T'), 'T');
});

test('malformed headers carry none', () => {
  const bad = [undefined, '', 'Bearer', 'Bearer ', 'Bearer  T', 'Bearer T T', 'Basic T', 'Bearer T,', 'BearerT', 'Bearer é'];
  for (const header of bad) assert.equal(bearerToken(header), undefined, header);
  assert.equal(bearerToken(`Bearer ${'a'.repeat(2000)}`), undefined);
});

test('only a refused token is named an invalid one', () => {
  assert.equal(challenge(false), 'Bearer realm="steward"');
  assert.match(challenge(true), /^Bearer realm="steward", error="invalid_token"/);
});
