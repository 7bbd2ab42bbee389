/**
 * A host on which any account may make hard links to files of others (fs.protected_hardlinks is 0): a name inside the grant may be a
 * file of root's, so it is not changed. Both doors run in a mount namespace in which the parameter reads so; the machine's own stays as it is.
 */
import assert from 'node:assert/strict';
import { linkSync, lstatSync, mkdirSync, readFileSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { test } from 'node:test';
import { WRITES, doorFrame, fileGrants, type Opening } from '../support/door-frame.ts';
import { isRoot } from '../support/pair.ts';

const skip = !isRoot && 'needs root: the attack is on what root may do';
const frame = doorFrame({ name: 'links', prepare });
const { base } = frame;
const [inside, outside] = [join(base, 'www'), join(base, 'outside')];
const [link, single, target] = [join(inside, 'link'), join(inside, 'single'), join(outside, 'secret')];

function prepare(): Opening {
  for (const directory of [inside, outside]) mkdirSync(directory);
  for (const file of [target, single]) writeFileSync(file, 'of root\n', { mode: 0o600 });
  linkSync(target, link);
  const says = join(base, 'protected_hardlinks');
  writeFileSync(says, '0\n');
  const script = 'mount --bind "$0" /proc/sys/fs/protected_hardlinks && exec "$@"';
  const under = ['unshare', '--mount', '--propagation', 'private', 'sh', '-c', script, says];
  const grants = fileGrants(inside, ['list', 'read', 'find', 'create', 'update', 'chmod', 'chown']);
  return { grants, searched: inside, under };
}

const facts = (): string => {
  const { mode, uid, gid, mtimeMs } = lstatSync(target);
  return [mode, uid, gid, mtimeMs, readFileSync(target, 'latin1')].join(' ');
};

// abuse 64: both doors
test('a file with another name elsewhere is not changed', { skip }, async () => {
  const untouched = facts();
  for (const [op, args, content] of WRITES) {
    for (const { door, code, text } of await frame.doors.call(op, { ...args, path: link }, content)) {
      assert.equal(code, 'REFUSED_HARDLINK', `${op}: the ${door} says ${text}`);
    }
  }
  assert.equal(facts(), untouched);
  await frame.doors.checkNothingIsLeft();
});

test('a recursive change passes it by and counts it, and changes the others', { skip }, async () => {
  const untouched = facts();
  for (const [op, args] of [
    ['files/chmod', { mode: 'a+r' }],
    ['files/chown', { owner: 'nobody' }],
  ] as const) {
    for (const { door, code, text } of await frame.doors.call(op, { ...args, path: inside, recursive: true })) {
      assert.equal(code, 'OK', `${op}: the ${door} says ${text}`);
    }
  }
  assert.equal(facts(), untouched);
  assert.deepEqual([lstatSync(single).mode & 0o777, lstatSync(single).uid === 0], [0o644, false]);
});
