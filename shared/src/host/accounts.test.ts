/** Proves that accounts are read as the C library reads them, and read anew when the files change. */
import assert from 'node:assert/strict';
import { mkdirSync, writeFileSync } from 'node:fs';
import { test } from 'node:test';
import { withDirectory } from '../testing/tree.ts';
import { parseGroup, parseId, parsePasswd, readAccounts } from './accounts.ts';
import { localTime } from './times.ts';

test('passwd and group lines', () => {
  const users = parsePasswd('root:x:0:0:root:/root:/bin/sh\n# comment\nbroken\n+::::::\na:x:-1:0:::\nb:x:7:8:B,,:/b:\n');
  assert.deepEqual(
    users.map(({ name, uid, gid }) => [name, uid, gid]),
    [
      ['root', 0, 0],
      ['b', 7, 8],
    ],
  );
  assert.deepEqual(users[1], { name: 'b', uid: 7, gid: 8, comment: 'B,,', home: '/b', loginShell: '' });
  assert.deepEqual(parseGroup('adm:x:4:a,b,\nnone:x:9:\n:x:1:\n'), [
    { name: 'adm', gid: 4, members: ['a', 'b'] },
    { name: 'none', gid: 9, members: [] },
  ]);
  assert.deepEqual(['0', '4294967294', '4294967295', '-1', '1x', ''].map(parseId), [
    0,
    4294967294,
    undefined,
    undefined,
    undefined,
    undefined,
  ]);
});

test('look-ups: the first line counts, unknown ids are numbers, changes are seen', () =>
  withDirectory((root) => {
    mkdirSync(`${root}/etc`);
    assert.equal(readAccounts(root).userName(0), '0');
    writeFileSync(`${root}/etc/passwd`, 'root:x:0:0::/:\ntoor:x:0:1::/:\n');
    writeFileSync(`${root}/etc/group`, 'wheel:x:0:\n');
    const accounts = readAccounts(root);
    assert.deepEqual([accounts.userName(0), accounts.groupName(0), accounts.groupName(5)], ['root', 'wheel', '5']);
    assert.equal(accounts.user('toor')?.gid, 1);
    assert.equal(readAccounts(root), accounts);
    writeFileSync(`${root}/etc/group`, 'staff:x:0:\n');
    assert.equal(readAccounts(root).groupName(0), 'staff');
  }));

test('local time', () => {
  const time = new Date(2026, 0, 2, 3, 4, 5);
  assert.equal(localTime(time.getTime()), '2026-01-02 03:04:05');
  assert.equal(localTime(8.64e15 + 1), '?');
});
