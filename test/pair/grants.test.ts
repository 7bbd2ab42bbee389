/** What a path grant permits and refuses through the whole stack, and what the record says of it. */
import assert from 'node:assert/strict';
import { chmodSync, mkdirSync, mkdtempSync, rmSync, statSync, symlinkSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { after, before, test } from 'node:test';
import { isRoot, startPair, type Pair } from '../support/pair.ts';
import type { SseClient } from '../support/sse-client.ts';

const skip = !isRoot && 'needs root to change owners';
const NOBODY = 65534;
let pair: Pair;
let ops: SseClient;
let tree: string;
let inside: string;

before(async () => {
  tree = mkdtempSync(join(tmpdir(), 'steward-grant-'));
  chmodSync(tree, 0o755);
  inside = join(tree, 'x');
  mkdirSync(inside);
  mkdirSync(join(tree, 'xx'));
  for (const file of ['x/a', 'xx/b', 'outside']) writeFileSync(join(tree, file), 'content\n');
  symlinkSync(join(tree, 'outside'), join(inside, 'link'));
  symlinkSync(tree, join(inside, 'up'));
  pair = await startPair({
    users: ['ops', 'guest', 'wide'],
    grants:
      `  ops:\n    tools:\n      files/chown: {allowed: true, paths: [${inside}]}\n      files/chmod: {allowed: true, paths: [${inside}]}\n` +
      '  wide:\n    tools:\n      files/chown: {allowed: true, paths: [/]}\n      files/read: {allowed: true, paths: [/]}\n      files/update: {allowed: true}\n',
  });
  ops = await pair.connect('ops');
});
after(async () => {
  await pair.stop();
  rmSync(tree, { recursive: true, force: true });
});

const chown = (path: string, client = ops) => client.call('files/chown', { path, owner: 'nobody', privileged: true });

test('inside the grant the owner changes and intent and outcome are recorded', { skip }, async () => {
  const path = join(inside, 'a');
  const answer = await chown(path);
  assert.equal(answer.text, `${path}: root:root -> nobody:root`);
  assert.equal(statSync(path).uid, NOBODY);
  const records = pair.records().filter((record) => record.op === 'files/chown' && record.object === path);
  assert.deepEqual(
    records.map((record) => record.kind),
    ['intent', 'outcome'],
  );
  assert.match(records[0]?.rule ?? '', /grants\.yaml:\d+/);
  assert.equal(records[1]?.code, 'OK');
});

for (const [name, path] of [
  ['a neighbour with the same beginning', () => join(tree, 'xx/b')],
  ['a way out with ..', () => `${inside}/../../../etc/passwd`],
  ['something else altogether', () => '/etc/passwd'],
] as const) {
  test(`refused outside the grant: ${name}`, { skip }, async () => {
    const answer = await chown(path());
    assert.equal(answer.isError, true);
    assert.equal(answer.code, 'RESTRICTED');
    assert.equal(answer.text, `user ops is not authorized to run files/chown on path ${path()} as root`);
    const request = answer.meta['steward/request'];
    const record = pair.records().find((one) => one.request === request);
    assert.equal(record?.kind, 'refusal');
    assert.equal(record?.user, 'ops');
  });
}

test('a symbolic link that leads out is refused and named, as last and as middle component', { skip }, async () => {
  const last = await chown(join(inside, 'link'));
  assert.equal(last.text, `refusing to follow a symbolic link: ${join(inside, 'link')} -> ${join(tree, 'outside')}`);
  assert.equal(last.code, 'REFUSED_SYMLINK');
  const middle = await chown(join(inside, 'up/outside'));
  assert.equal(middle.text, `refusing to follow a symbolic link: ${join(inside, 'up')} -> ${tree}`);
  assert.equal(statSync(join(tree, 'outside')).uid, 0);
});

test('steward’s own configuration is refused under a grant of /', { skip }, async () => {
  const wide = await pair.connect('wide');
  for (const file of ['grants.yaml', 'users.yaml', 'daemon.yaml', 'tls/steward.key']) {
    const path = join(pair.configDir, file);
    const answer = await chown(path, wide);
    assert.equal(answer.text, `refusing to touch a protected object: ${path}`);
    const read = await wide.call('files/read', { path, privileged: true });
    assert.equal(read.text, `refusing to touch a protected object: ${path}`);
  }
  const environ = await wide.call('files/read', { path: `/proc/${process.pid}/environ`, privileged: true });
  assert.equal(environ.code, 'PROTECTED');
});

// abuse 46: frontend
test('no grant, and a grant without its list, have their texts', async () => {
  const guest = await pair.connect('guest');
  const none = await guest.call('files/read', { path: '/etc/passwd', privileged: true });
  assert.equal(
    none.text,
    'Permission denied: user guest is not authorized to use privileged: true for files/read (no grant for it in grants.yaml)',
  );
  assert.equal(none.code, 'NOT_GRANTED');
  const wide = await pair.connect('wide');
  const list = await wide.call('files/update', { path: '/etc/x', content: 'x', append: true, privileged: true });
  assert.equal(
    list.text,
    'Permission denied: the files/update grant of user wide in grants.yaml has no paths: list, so it permits nothing',
  );
});

test('setuid is not added without the grant’s word for it', { skip }, async () => {
  const path = join(inside, 'a');
  const before = statSync(path).mode;
  const answer = await ops.call('files/chmod', { path, mode: '4755', privileged: true });
  assert.equal(
    answer.text,
    `not authorized to add setuid or setgid to ${path}: this tool's grant in grants.yaml has no setid: true`,
  );
  assert.equal(statSync(path).mode, before);
});
