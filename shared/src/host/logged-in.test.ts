/** Proves the count of users who are logged in, from both kinds of records. */
import assert from 'node:assert/strict';
import { mkdirSync, writeFileSync } from 'node:fs';
import { test } from 'node:test';
import { withFixture } from '../testing/fixture.ts';
import { countLoggedIn, countUserRecords } from './logged-in.ts';

/** utmp(5) records of one size: type and user. */
function utmp(size: number, records: readonly (readonly [number, string])[]): Buffer {
  return Buffer.concat(
    records.map(([type, user]) => {
      const record = Buffer.alloc(size);
      record.writeInt16LE(type, 0);
      record.write(user, 44);
      return record;
    }),
  );
}

const RECORDS = [
  [2, 'reboot'],
  [7, 'alice'],
  [8, ''],
  [7, 'alice'],
  [7, ''],
  [6, 'LOGIN'],
] as const;

test('user records of either size', () => {
  assert.equal(countUserRecords(utmp(384, RECORDS)), 2);
  assert.equal(countUserRecords(utmp(400, RECORDS)), 2);
  assert.equal(countUserRecords(Buffer.alloc(0)), 0);
});

const SESSIONS = `run/systemd/sessions/1 <<
UID=1000
CLASS=user
>>
run/systemd/sessions/c2 <<
UID=0
CLASS=greeter
>>
run/systemd/sessions/3 = CLASS=user
run/systemd/sessions/3.ref = CLASS=user`;

test('sessions of systemd where there is no utmp', () =>
  withFixture(SESSIONS, (root) => {
    assert.equal(countLoggedIn(root), 2);
    mkdirSync(`${root}/run`, { recursive: true });
    writeFileSync(`${root}/run/utmp`, utmp(384, RECORDS.slice(0, 2)));
    assert.equal(countLoggedIn(root), 1);
  }));

test('a host with neither', () => withFixture('run/', (root) => assert.equal(countLoggedIn(root), 0)));
