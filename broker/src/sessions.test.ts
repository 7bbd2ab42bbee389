/** Who gets a session, how long it lasts, and what ends it. */
import assert from 'node:assert/strict';
import { createHash } from 'node:crypto';
import { test } from 'node:test';
import type { ConfigSnapshot, UserEntry } from '@steward/shared/config/types.ts';
import { ABSOLUTE_MS, IDLE_MS, Sessions } from './sessions.ts';

const SALT = '00112233445566778899aabbccddeeff';
const hashOf = (token: string): string => createHash('sha256').update(Buffer.from(SALT, 'hex')).update(token).digest('hex');
const tokenEntry = (id: string, token: string, extra: object = {}) => ({ id, salt: SALT, hash: hashOf(token), ...extra });

const USERS: UserEntry[] = [
  { name: 'ops', account: '', tokens: [tokenEntry('a', 'one'), tokenEntry('b', 'two', { not_after: '2030-01-01T00:00:00Z' })] },
  { name: 'lan', account: '', cidrs: ['10.0.0.0/8'], tokens: [tokenEntry('c', 'three', { cidrs: ['10.1.0.0/16'] })] },
];

function config(users = USERS, max_sessions = 4, max_sessions_per_user = 4): ConfigSnapshot {
  return { users, daemon: { limits: { max_sessions, max_sessions_per_user } } } as unknown as ConfigSnapshot;
}

const NOW = Date.parse('2029-06-01T00:00:00Z');
const asked = (token: string, address = '192.0.2.1') => ({ token, address, client: 'test' });

test('a token opens a session for its owner, with a capability that is good until it is closed', () => {
  const sessions = new Sessions(() => NOW);
  const opened = sessions.open(asked('one'), config());
  assert.ok(opened);
  assert.match(opened.capability, /^[0-9a-f]{64}$/);
  assert.deepEqual([opened.session.user, opened.session.token], ['ops', 'a']);
  assert.equal(sessions.use(opened.capability)?.user, 'ops');
  assert.notEqual(sessions.open(asked('one'), config())?.capability, opened.capability);
  sessions.close(opened.capability);
  assert.equal(sessions.use(opened.capability), undefined);
});

test('what is not exactly a token opens nothing', () => {
  const sessions = new Sessions(() => NOW);
  for (const token of ['', 'on', 'one\n', 'ONE', 'one ', 'x'.repeat(10_240), '\u0000']) {
    assert.equal(sessions.open(asked(token), config()), undefined, JSON.stringify(token));
  }
  for (const capability of ['', 'x', '0'.repeat(64), '__proto__']) assert.equal(sessions.use(capability), undefined);
});

test('expiry and addresses of user and token must all permit', () => {
  let now = NOW;
  const sessions = new Sessions(() => now);
  assert.equal(sessions.open(asked('three', '10.2.0.1'), config()), undefined);
  assert.equal(sessions.open(asked('three', '192.0.2.1'), config()), undefined);
  assert.ok(sessions.open(asked('three', '10.1.0.1'), config()));
  assert.ok(sessions.open(asked('three', '::ffff:10.1.0.1'), config()));
  assert.ok(sessions.open(asked('two'), config()));
  now = Date.parse('2030-01-01T00:00:00Z');
  assert.equal(sessions.open(asked('two'), config()), undefined);
});

// abuse 38: broker
test('a session ends when idle, after a day, and with its token', () => {
  let now = NOW;
  const sessions = new Sessions(() => now);
  const idle = sessions.open(asked('one'), config())?.capability ?? '';
  now += IDLE_MS;
  assert.ok(sessions.use(idle));
  now += IDLE_MS + 1;
  assert.equal(sessions.use(idle), undefined);
  const busy = sessions.open(asked('one'), config())?.capability ?? '';
  const end = now + ABSOLUTE_MS;
  for (; now < end; now += IDLE_MS) assert.ok(sessions.use(busy));
  now = end;
  assert.equal(sessions.use(busy), undefined);
  now = Date.parse('2029-12-31T23:59:00Z');
  const short = sessions.open(asked('two'), config())?.capability ?? '';
  now += 61_000;
  assert.equal(sessions.use(short), undefined);
});

// abuse 41: broker
test('there are at most max_sessions, and only a good token learns that there are too many', () => {
  let now = NOW;
  const sessions = new Sessions(() => now);
  for (let n = 0; n < 4; n += 1) assert.ok(sessions.open(asked('one'), config()));
  assert.throws(() => sessions.open(asked('three', '10.1.0.1'), config()), { key: 'busy' });
  assert.equal(sessions.open(asked('wrong'), config()), undefined);
  now += IDLE_MS + 1;
  assert.ok(sessions.open(asked('three', '10.1.0.1'), config()));
});

test('a user with very many addresses loses his own sessions and locks nobody out', () => {
  let now = NOW;
  const sessions = new Sessions(() => (now += 1));
  const settings = config(USERS, 4, 3);
  const opened = ['192.0.2.1', '192.0.2.2', '192.0.2.3'].map(
    (from) => sessions.open(asked('one', from), settings)?.capability ?? '',
  );
  assert.ok(sessions.use(opened[0] ?? ''));
  for (let n = 0; n < 100; n += 1) assert.ok(sessions.open(asked('two', `198.51.100.${n}`), settings));
  assert.deepEqual(
    opened.map((capability) => sessions.use(capability)),
    [undefined, undefined, undefined],
  );
  assert.ok(sessions.open(asked('three', '10.1.0.1'), settings));
});

test('withdrawn tokens take their sessions with them', () => {
  const sessions = new Sessions(() => NOW);
  const a = sessions.open(asked('one'), config())?.capability ?? '';
  const b = sessions.open(asked('two'), config())?.capability ?? '';
  assert.equal(sessions.countOf([{ user: 'ops', token: 'a' }]), 1);
  sessions.closeTokens([{ user: 'ops', token: 'a' }]);
  assert.equal(sessions.use(a), undefined);
  assert.equal(sessions.use(b)?.token, 'b');
  assert.equal(sessions.open(asked('one'), config([])), undefined);
});
