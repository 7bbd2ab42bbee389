/**
 * A user with broad grants and an ordinary account on the host, who wants more: the log, or a program that runs as root. Straight to
 * the broker, past the frontend; the shipped bundle runs, with its flags.
 */
import assert from 'node:assert/strict';
import { spawnSync } from 'node:child_process';
import { chmodSync, chownSync, mkdtempSync, readdirSync, rmSync, statSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { after, before, test } from 'node:test';
import { verifyAudit } from '@steward/shared/audit/verify.ts';
import { isRoot } from '../support/pair.ts';
import { makeHome, startBroker, type BrokerHome, type RawBroker } from '../support/raw-broker.ts';

const skip = !isRoot && 'needs root: the attack is on what root may do';
/** Rounds of the race; each lasts about a second. STEWARD_ATTACK_SECONDS asks for more. */
const ROUNDS = Number(process.env['STEWARD_ATTACK_SECONDS'] ?? 2) * 2;
/** The attacker's own account. */
const [UID, GID] = [65_534, 65_534];

let base: string;
let home: BrokerHome;
let broker: RawBroker;

before(async () => {
  if (!isRoot) return;
  base = mkdtempSync(join(tmpdir(), 'steward-escalation-'));
  chmodSync(base, 0o755);
  const tools = ['list', 'read', 'find', 'create', 'update', 'chmod', 'chown'].map((name) => `files/${name}`);
  home = makeHome(
    `  ops:\n    tools:\n${tools.map((tool) => `      ${tool}: {allowed: true, paths: ["${tmpdir()}"]}\n`).join('')}`,
  );
  broker = await startBroker(home, { bundle: true });
  await broker.client.hello();
  await broker.client.open(home.token('ops'));
});
after(async () => {
  if (!isRoot) return;
  await broker.stop();
  home.remove();
  rmSync(base, { recursive: true, force: true });
});

const keyOf = async (op: string, args: object, content?: string): Promise<string | undefined> =>
  (await broker.client.call(op, args, content === undefined ? {} : { upload: Buffer.from(content) })).key;

test('the directories above the log cannot be taken over, so that it cannot be moved away', { skip }, async () => {
  const { directory, auditDir } = home;
  for (const path of [directory, tmpdir()]) {
    assert.equal(await keyOf('files/chown', { path, owner: String(UID) }), 'protected_object', path);
    assert.equal(await keyOf('files/chmod', { path, mode: '777' }), 'protected_object', path);
  }
  await broker.client.call('files/chown', { path: directory, owner: String(UID), recursive: true });
  await broker.client.call('files/chmod', { path: directory, mode: 'a+rwx', recursive: true });
  const stolen = spawnSync('mv', [auditDir, join(directory, 'gone')], { uid: UID, gid: GID });
  assert.notEqual(stolen.status, 0);
  for (const path of [directory, auditDir, home.configDir, join(home.configDir, 'users.yaml')]) {
    const { uid, mode } = statSync(path);
    assert.deepEqual([uid, mode & 0o077], [0, 0], path);
  }
  assert.equal(await keyOf('files/read', { path: join(auditDir, readdirSync(auditDir)[0] ?? '') }), 'protected_object');
  assert.equal(await keyOf('files/create', { path: join(auditDir, 'x') }, 'x'), 'protected_object');
});

test('a program of the attacker’s never becomes a setuid program of root’s', { skip }, async (context) => {
  const files = Array.from({ length: 1500 }, (_, n) => join(base, `program-${n}`));
  for (const file of files) writeFileSync(file, '');
  let kept = 0;
  for (let round = 0; round < ROUNDS; round += 1) {
    for (const file of files) {
      chownSync(file, UID, GID);
      chmodSync(file, 0o6777);
    }
    const [chmod] = await Promise.all([
      broker.client.call('files/chmod', { path: base, mode: 'g-w', recursive: true }),
      broker.client.call('files/chown', { path: base, owner: 'root:root', recursive: true }),
    ]);
    for (const file of files) {
      const { uid, gid, mode } = statSync(file);
      assert.ok(uid !== 0 || (mode & 0o4000) === 0, `${file} is setuid root`);
      assert.ok(gid !== 0 || (mode & 0o2000) === 0, `${file} is setgid root`);
    }
    kept += (chmod.value as { errors: number }).errors;
  }
  context.diagnostic(`${ROUNDS * files.length} files, ${kept} met with their bits and refused`);
});

test('new content does not inherit the rights of a setuid program', { skip }, async () => {
  const path = join(base, 'helper');
  writeFileSync(path, 'old\n');
  for (const args of [{}, { append: true }, { start_line: 1, end_line: 1 }]) {
    chmodSync(path, 0o6755);
    assert.equal(
      await keyOf(Object.keys(args).length === 0 ? 'files/create' : 'files/update', { path, ...args }, 'evil\n'),
      undefined,
    );
    assert.equal(statSync(path).mode & 0o7777, 0o755, JSON.stringify(args));
  }
});

test('a refusal is a short record, whatever was typed', { skip }, async () => {
  const before = home.records().length;
  for (const path of ['\u0001'.repeat(16_000), `/${'x\n'.repeat(8000)}`]) await broker.client.call('files/read', { path });
  const records = home.records().slice(before);
  assert.equal(records.length, 2);
  for (const record of records) assert.ok(JSON.stringify(record).length < 64 * 1024, String(JSON.stringify(record).length));
});

test('after all that the log is whole', { skip }, async () => {
  assert.equal((await verifyAudit(home.auditDir)).state, 'good');
});
