/** The pair started by an ordinary user: the same program, with that user's rights, and a line that says so. */
import assert from 'node:assert/strict';
import { readFileSync, statSync } from 'node:fs';
import { join } from 'node:path';
import { after, before, test } from 'node:test';
import { verifyAudit } from '@steward/shared/audit/verify.ts';
import { isRoot, startPair, type Pair } from '../support/pair.ts';
import type { SseClient } from '../support/sse-client.ts';

/** As root the pair is started for the account nobody; else for whoever runs the tests. */
const UID = isRoot ? 65534 : (process.getuid?.() ?? 0);
let pair: Pair;
let ops: SseClient;

before(async () => {
  const grants =
    '  ops:\n    tools:\n      files/create: {allowed: true, paths: [/]}\n      files/chmod: {allowed: true, paths: [/]}\n' +
    '      files/read: {allowed: true, paths: [/]}\n      files/chown: {allowed: true, paths: [/]}\n      daemon/reload-config: {allowed: true}\n';
  pair = await startPair({ grants, ...(isRoot ? { asUid: UID } : {}) });
  ops = await pair.connect('ops');
});
after(() => pair.stop());

test('both processes run as that user, and a line says what that means', () => {
  for (const title of ['steward-broker', 'steward-frontend'] as const) {
    const [pid] = pair.pids(title);
    assert.equal(statSync(`/proc/${pid}`).uid, UID, title);
  }
  assert.match(pair.output(), /privileged operations have only (that|this) user's rights/);
});

test('privileged calls do what that user may, and fail with the reason where it may not', async () => {
  const path = join(pair.directory, 'made/by/steward');
  const made = await ops.call('files/create', { path, content: 'hello\n', privileged: true });
  assert.equal(made.text, `Successfully created and wrote to ${path}`);
  assert.equal(readFileSync(path, 'utf8'), 'hello\n');
  assert.equal(statSync(path).mode & 0o7777, 0o644);
  assert.equal(statSync(join(pair.directory, 'made')).mode & 0o7777, 0o755);
  const refused = await ops.call('files/chown', { path, owner: 'root', privileged: true });
  assert.equal(refused.isError, true);
  assert.match(refused.text, /operation not permitted/);
  const shadow = await ops.call('files/read', { path: '/etc/shadow', privileged: true });
  assert.equal(shadow.text, 'failed to open file: /etc/shadow: permission denied');
});

test('protected objects are protected from it too', async () => {
  const users = join(pair.configDir, 'users.yaml');
  const answer = await ops.call('files/read', { path: users, privileged: true });
  assert.equal(answer.text, `refusing to touch a protected object: ${users}`);
  const unprivileged = await ops.call('files/read', { path: users });
  assert.equal(unprivileged.text, `refusing to touch a protected object: ${users}`);
});

test('the record is kept', async () => {
  assert.ok(pair.records().some((record) => record.kind === 'outcome' && record.op === 'files/create' && record.code === 'OK'));
  assert.equal((await verifyAudit(pair.auditDir)).state, 'good');
});
