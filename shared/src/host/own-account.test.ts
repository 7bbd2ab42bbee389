/** Whose crontab is somebody's own: the account that exists now, and never one of root's. */
import assert from 'node:assert/strict';
import { test } from 'node:test';
import { Accounts, parsePasswd } from './accounts.ts';
import { ownAccount } from './own-account.ts';

const accounts = new Accounts(parsePasswd('root:x:0:0::/:\ntoor:x:0:0::/:\nalice:x:1001:1001::/home/alice:\n'), []);
const nameOf = (account: string, uid?: number) =>
  ownAccount({ account, ...(uid === undefined ? {} : { account_uid: uid }) }, accounts)?.name;

test('an account counts when it exists, has the expected uid and is not root', () => {
  assert.equal(nameOf('alice'), 'alice');
  assert.equal(nameOf('alice', 1001), 'alice');
  assert.deepEqual(
    [nameOf('alice', 1002), nameOf('bob'), nameOf(''), nameOf('root'), nameOf('toor', 0)],
    Array(5).fill(undefined),
  );
});
