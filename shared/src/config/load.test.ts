/** Loading from a directory: who may own and write the files, and that a fault in any of them means no snapshot. */
import assert from 'node:assert/strict';
import { execFileSync } from 'node:child_process';
import { createHash } from 'node:crypto';
import { chmodSync, chownSync, mkdirSync, mkdtempSync, renameSync, rmSync, symlinkSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { test } from 'node:test';
import { loadSnapshot } from './load.ts';
import { hashToken, makeToken } from './token.ts';

interface Cleanup {
  after(fn: () => void): void;
}
const needsRoot = { skip: process.geteuid?.() === 0 ? false : 'needs root to give files away' };

function configuration(context: Cleanup): string {
  const directory = mkdtempSync(join(tmpdir(), 'steward-config-'));
  context.after(() => rmSync(directory, { recursive: true, force: true }));
  const { entry } = makeToken('laptop');
  const write = (name: string, text: string): void => writeFileSync(join(directory, name), text, { mode: 0o600 });
  write('daemon.yaml', 'version: 1\nbroker: {frontend_account: nobody}\n');
  write('users.yaml', `version: 1\nusers:\n  - {name: alice, tokens: [${JSON.stringify(entry)}]}\n`);
  write('grants.yaml', 'version: 1\nusers:\n  alice: {tools: {files/read: {allowed: true}}}\n');
  return directory;
}

test('a good directory gives a frozen snapshot', (context) => {
  const directory = configuration(context);
  const snapshot = loadSnapshot(directory);
  assert.equal(snapshot.users[0]?.name, 'alice');
  assert.equal(snapshot.grants['alice']?.tools['files/read']?.line, 3);
  assert.equal(
    snapshot.grantsDigest,
    createHash('sha256').update('version: 1\nusers:\n  alice: {tools: {files/read: {allowed: true}}}\n').digest('hex'),
  );
  assert.deepEqual(
    snapshot.files,
    ['daemon.yaml', 'users.yaml', 'grants.yaml'].map((name) => join(directory, name)),
  );
  assert.deepEqual(snapshot.warnings, [
    `${directory}/grants.yaml:3: files/read is allowed but has no paths: list, so it permits nothing`,
  ]);
  assert.ok(Object.isFrozen(snapshot) && Object.isFrozen(snapshot.users[0]?.tokens));
});

test('a token is checked by the salt and hash of its entry', () => {
  const { token, entry } = makeToken('x');
  assert.match(token, /^[0-9a-f]{64}$/);
  assert.equal(hashToken(entry.salt, token).toString('hex'), entry.hash);
  const known = createHash('sha256')
    .update(Buffer.concat([Buffer.from('00ff', 'hex'), Buffer.from('abc')]))
    .digest('hex');
  assert.equal(hashToken('00ff', 'abc').toString('hex'), known);
});

// abuse 107: broker
/** Each harm done to a good directory, and the message without the directory. */
const HARMS: readonly (readonly [what: string, harm: (directory: string) => void, message: string])[] = [
  ['a missing file', (dir) => rmSync(join(dir, 'users.yaml')), 'users.yaml:1: it cannot be read: no such file or directory'],
  [
    'a group-writable file',
    (dir) => chmodSync(join(dir, 'grants.yaml'), 0o660),
    'grants.yaml:1: it must not be writable by group or others (its mode is 0660)',
  ],
  [
    'a world-writable file',
    (dir) => chmodSync(join(dir, 'daemon.yaml'), 0o602),
    'daemon.yaml:1: it must not be writable by group or others (its mode is 0602)',
  ],
  [
    'a link',
    (dir) => {
      renameSync(join(dir, 'grants.yaml'), join(dir, 'real.yaml'));
      symlinkSync('real.yaml', join(dir, 'grants.yaml'));
    },
    'grants.yaml:1: it must not be a symbolic link',
  ],
  [
    'a directory in place of a file',
    (dir) => {
      rmSync(join(dir, 'grants.yaml'));
      mkdirSync(join(dir, 'grants.yaml'));
    },
    'grants.yaml:1: it must be a regular file',
  ],
  [
    'a file of 2 MiB',
    (dir) => writeFileSync(join(dir, 'users.yaml'), '#'.repeat(2 * 1024 * 1024)),
    'users.yaml:1: larger than 1 MiB',
  ],
  [
    'bytes that are no UTF-8',
    (dir) => writeFileSync(join(dir, 'users.yaml'), Buffer.from([0x23, 0xff])),
    'users.yaml:1: is not valid UTF-8',
  ],
  [
    'an unknown key',
    (dir) => writeFileSync(join(dir, 'grants.yaml'), 'version: 1\nusers: {}\nuser: {}\n'),
    'grants.yaml:3: unknown key "user" (known here: version, users)',
  ],
  [
    'a directory that others may write to',
    (dir) => chmodSync(dir, 0o777),
    '1: the directory must not be writable by group or others (its mode is 0777)',
  ],
];
for (const [what, harm, message] of HARMS) {
  test(`refused: ${what}`, (context) => {
    const directory = configuration(context);
    harm(directory);
    const place = message.startsWith('1:') ? `${directory}:${message}` : `${directory}/${message}`;
    assert.throws(() => loadSnapshot(directory), { name: 'ConfigError', message: place });
  });
}

test('a file or directory of somebody else is refused', needsRoot, (context) => {
  const directory = configuration(context);
  chownSync(join(directory, 'grants.yaml'), 65534, 65534);
  assert.throws(() => loadSnapshot(directory), {
    message: `${directory}/grants.yaml:1: it must be owned by root, not by uid 65534`,
  });
  chownSync(join(directory, 'grants.yaml'), 0, 65534);
  chownSync(directory, 65534, 0);
  assert.throws(() => loadSnapshot(directory), {
    message: `${directory}:1: the directory must be owned by root, not by uid 65534`,
  });
});

test('a FIFO does not make the loader wait', (context) => {
  const directory = configuration(context);
  rmSync(join(directory, 'users.yaml'));
  execFileSync('mkfifo', ['-m', '600', join(directory, 'users.yaml')]);
  assert.throws(() => loadSnapshot(directory), /users\.yaml:1: it must be a regular file/);
});

test('a directory reached through a link is known by its own path', (context) => {
  const directory = configuration(context);
  const link = `${directory}-link`;
  symlinkSync(directory, link);
  context.after(() => rmSync(link));
  assert.equal(loadSnapshot(link).directory, directory);
  assert.throws(() => loadSnapshot('/nonexistent'), {
    message: '/nonexistent:1: the directory cannot be read: no such file or directory',
  });
});
