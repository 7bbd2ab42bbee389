/** Whom the broker serves. */
import assert from 'node:assert/strict';
import { test } from 'node:test';
import { parsePeer, peerProblem } from './environment.ts';

// abuse 32: broker
test('the peer is read from both forms and from nothing else', () => {
  assert.deepEqual(parsePeer('launcher-990'), { uid: 990, pid: undefined });
  assert.deepEqual(parsePeer('4-1234-990'), { uid: 990, pid: 1234 });
  assert.deepEqual(parsePeer('4-77-1234-990'), { uid: 990, pid: 1234 });
  assert.deepEqual(parsePeer('4-77-1234_5-990'), { uid: 990, pid: 1234 });
  for (const text of ['', 'unknown', '1-unknown', '1-2-990x', 'launcher-', 'launcher--1', '990', '1-2-3-4-990', '1-2-990\n']) {
    assert.equal(parsePeer(text), undefined, text);
  }
});

test('only the frontend account, or the own one of an ordinary user, is served', () => {
  const accounts = new Map([['steward', 990]]);
  const problem = (uid: number, own: number, account = 'steward') => peerProblem({ uid, pid: undefined }, own, account, accounts);
  assert.equal(problem(990, 0), undefined);
  assert.match(problem(991, 0) ?? '', /uid 991/);
  assert.match(problem(0, 0) ?? '', /root/);
  assert.match(problem(990, 0, 'absent') ?? '', /no account absent/);
  assert.equal(problem(1000, 1000), undefined);
  assert.match(problem(0, 1000) ?? '', /uid 0/);
  assert.match(peerProblem(undefined, 0, 'steward', accounts) ?? '', /does not name a peer/);
});
