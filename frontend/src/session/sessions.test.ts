/** Which sessions are found, how many there may be, and which of them end when nobody uses them. */
import assert from 'node:assert/strict';
import { test } from 'node:test';
import type { Conversation } from './conversation.ts';
import { newSessionId, Sessions, type Session } from './sessions.ts';

const LIMITS = { max_sessions: 3, max_sessions_per_user: 2 };

class Fake implements Session {
  readonly id = newSessionId();
  readonly user: string;
  readonly token: string;
  readonly conversation = {} as Conversation;
  readonly #all: Sessions;
  readonly #since: number | undefined;

  constructor(all: Sessions, user: string, since?: number, token = 't') {
    this.#all = all;
    this.user = user;
    this.token = token;
    this.#since = since;
    all.add(this);
  }

  idleSince(): number | undefined {
    return this.#since;
  }

  end(): void {
    this.#all.remove(this);
  }

  finish(): Promise<void> {
    return Promise.resolve();
  }
}

class Other extends Fake {
  readonly kind = 'other';
}

test('a session is found by its own user and under its own kind', () => {
  const all = new Sessions();
  const mine = new Fake(all, 'alice');
  assert.equal(all.find(mine.id, 'alice', Fake), mine);
  assert.equal(all.find(mine.id, 'bob', Fake), undefined);
  assert.equal(all.find(mine.id, 'alice', Other), undefined);
  assert.equal(all.find(newSessionId(), 'alice', Fake), undefined);
  assert.equal(new Set(Array.from({ length: 1000 }, newSessionId)).size, 1000);
});

test('the limit of a user comes first, then that of all; single requests count for neither', () => {
  const all = new Sessions();
  assert.equal(all.full('alice', LIMITS), undefined);
  for (const user of ['alice', 'alice']) new Fake(all, user);
  assert.deepEqual([all.full('alice', LIMITS), all.full('bob', LIMITS)], ['user', undefined]);
  all.add(Object.assign(new Fake(new Sessions(), 'bob'), { transient: true as const }));
  assert.deepEqual([all.full('alice', LIMITS), all.full('bob', LIMITS)], ['user', undefined]);
  const last = new Fake(all, 'bob');
  assert.deepEqual([all.full('alice', LIMITS), all.full('bob', LIMITS)], ['user', 'total']);
  last.end();
  last.end();
  assert.deepEqual([all.full('alice', LIMITS), all.full('bob', LIMITS)], ['user', undefined]);
  new Fake(all, 'bob');
  assert.deepEqual([all.full('alice', LIMITS), all.full('bob', LIMITS)], ['user', 'total'], 'it was taken off once');
});

test('room is made by the session that is idle longest, of the same user, and never by one in use', () => {
  const all = new Sessions();
  const [busy, late, early, foreign] = [
    new Fake(all, 'alice'),
    new Fake(all, 'alice', 20),
    new Fake(all, 'alice', 10),
    new Fake(all, 'bob', 1),
  ];
  assert.equal(all.makeRoom('alice'), true);
  assert.deepEqual(all.all(), [busy, late, foreign]);
  assert.equal(all.makeRoom('alice'), true);
  assert.equal(all.makeRoom('alice'), false);
  assert.deepEqual(all.all(), [busy, foreign]);
  assert.equal(early.idleSince(), 10);
});

test('what nobody has used for long enough ends, and nothing else', () => {
  const all = new Sessions();
  const [busy, fresh] = [new Fake(all, 'alice'), new Fake(all, 'alice', 500)];
  new Fake(all, 'bob', 400);
  all.endIdle(600, 1000);
  assert.deepEqual(all.all(), [busy, fresh]);
});

test('sessions of a token that is over end, those of another token of the same user do not', () => {
  const all = new Sessions();
  const kept = [new Fake(all, 'alice', undefined, 'spare'), new Fake(all, 'bob', undefined, 't')];
  new Fake(all, 'alice', undefined, 't');
  all.endOf([{ user: 'alice', token: 't' }]);
  assert.deepEqual(all.all(), kept);
});
