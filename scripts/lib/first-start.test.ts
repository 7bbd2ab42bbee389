/** Shows what the first start of a checkout makes, and that the shipped configuration says the defaults. */
import assert from 'node:assert/strict';
import { createHash } from 'node:crypto';
import { mkdirSync, mkdtempSync, readFileSync, readdirSync, rmSync, statSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterEach, beforeEach, test } from 'node:test';
import { parseDaemon } from '@steward/shared/config/daemon.ts';
import { loadSnapshot } from '@steward/shared/config/load.ts';
import { RunError, daemonYaml, prepareRun } from './first-start.ts';
import { ROOT } from './sources.ts';

const SHIPPED = join(ROOT, 'packaging/daemon.yaml');
let above: string;
let run: string;
beforeEach(() => {
  above = mkdtempSync(join(tmpdir(), 'steward-run-'));
  run = join(above, '.run');
});
afterEach(() => rmSync(above, { recursive: true, force: true }));
const modeOf = (name: string): string => (statSync(join(run, name)).mode & 0o777).toString(8);

test('the shipped daemon.yaml says the defaults', () => {
  const shipped = parseDaemon(readFileSync(SHIPPED, 'utf8'), SHIPPED);
  const defaults = parseDaemon('version: 1\n', SHIPPED);
  assert.deepEqual({ ...shipped, tools: {} }, { ...defaults, tools: {} });
  assert.deepEqual(shipped.tools, { 'disks/usage': { timeout_seconds: 300 }, 'docker/prune': { timeout_seconds: 120 } });
});

test('a first start makes a configuration that loads, with one user whose token is in a private file', () => {
  assert.equal(
    prepareRun(run, SHIPPED, () => false),
    true,
  );
  const snapshot = loadSnapshot(join(run, 'config'));
  assert.deepEqual(snapshot.daemon.server.listen, ['127.0.0.1:9091']);
  assert.equal(snapshot.daemon.broker.frontend_account, 'nobody');
  assert.equal(snapshot.daemon.audit.directory, join(run, 'state/audit'));
  const user = snapshot.users[0];
  assert.equal(user?.name, 'admin');
  const entry = user?.tokens[0];
  const token = readFileSync(join(run, 'token'), 'utf8').trim();
  assert.match(token, /^[0-9a-f]{64}$/);
  const hash = createHash('sha256')
    .update(Buffer.from(entry?.salt ?? '', 'hex'))
    .update(token)
    .digest('hex');
  assert.equal(entry?.hash, hash);
  assert.equal(snapshot.grants['admin']?.tools['daemon/reload-config']?.allowed, true);
  assert.deepEqual(snapshot.warnings, []);
});

test('modes do not depend on the umask', () => {
  for (const mask of [0o000, 0o077]) {
    const before = process.umask(mask);
    try {
      prepareRun(run, SHIPPED, () => true);
    } finally {
      process.umask(before);
    }
    assert.equal(modeOf('token'), '600');
    assert.equal(modeOf('config'), '700');
    assert.equal(modeOf('state/audit'), '700');
    assert.equal(modeOf('config/users.yaml'), '600');
    assert.equal(modeOf('.'), '755');
    rmSync(run, { recursive: true });
  }
});

test('a second start changes nothing', () => {
  prepareRun(run, SHIPPED, () => true);
  const token = readFileSync(join(run, 'token'), 'utf8');
  assert.equal(
    prepareRun(run, SHIPPED, () => true),
    false,
  );
  assert.equal(readFileSync(join(run, 'token'), 'utf8'), token);
  assert.deepEqual(readdirSync(above), ['.run']);
});

test('a directory that holds something else is left alone', () => {
  mkdirSync(run);
  assert.throws(() => prepareRun(run, SHIPPED, () => true), RunError);
  assert.deepEqual(readdirSync(run), []);
});

test('a shipped file that lost one of the lines to change is noticed', () => {
  const text = readFileSync(SHIPPED, 'utf8').replace('cert_file: tls/steward.crt', 'cert_file: tls/other.crt');
  assert.throws(() => daemonYaml(text, run, 'steward'), RunError);
});

test('the frontend account is steward where there is one', () => {
  prepareRun(run, SHIPPED, (name) => name === 'steward');
  assert.equal(loadSnapshot(join(run, 'config')).daemon.broker.frontend_account, 'steward');
});
