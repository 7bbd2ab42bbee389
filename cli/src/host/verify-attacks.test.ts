/** The attacks of `stewardctl verify` on the built broker: all are refused, and a grant that is too wide, or no broker, is found. */
import assert from 'node:assert/strict';
import {
  chmodSync,
  existsSync,
  mkdirSync,
  mkdtempSync,
  readdirSync,
  readFileSync,
  rmSync,
  symlinkSync,
  writeFileSync,
} from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { after, test } from 'node:test';
import { fileURLToPath } from 'node:url';
import { ANCHOR_FILE } from '@steward/shared/audit/anchor.ts';
import { readAudit } from '@steward/shared/audit/read.ts';
import { readAccounts } from '@steward/shared/host/accounts.ts';
import { startAttacked } from './verify-attacks-broker.ts';
import { attackedGrants, type AttackedPaths } from './verify-attacks-list.ts';
import { makeScratch } from './verify-attacks-scratch.ts';
import { checkAttacks, type AttackOptions } from './verify-attacks.ts';

const ROOT = fileURLToPath(new URL('../../..', import.meta.url));
const BROKER = join(ROOT, 'dist/broker.js');
const unit = readFileSync(join(ROOT, 'systemd/steward-broker@.service'), 'utf8');
const flags = (/^ExecStart=\S+ (.*) \S+\/broker\.js /m.exec(unit)?.[1] ?? '').split(' ');
const own = process.getuid?.() ?? 0;
const options: AttackOptions = {
  command: [process.execPath, ...flags, BROKER],
  peer: { account: 'nobody', uid: own === 0 ? (readAccounts('/').user('nobody')?.uid ?? 0) : own },
  limitMs: 300_000,
};
const skip = existsSync(BROKER) ? false : 'not built: make build';
// Where scratch areas are made: nobody else's are among them.
const temporary = mkdtempSync(join(tmpdir(), 'steward-attacks-test-'));
process.env['TMPDIR'] = temporary;
after(() => rmSync(temporary, { recursive: true, force: true }));

const names = (lines: readonly string[]): string[] => lines.map((line) => line.split(':')[0] ?? '').sort();

test('the built broker refuses every attack, and nothing is left behind', { skip }, async () => {
  const { holds, wrong } = await checkAttacks(options);
  assert.deepEqual(wrong, []);
  assert.match(holds, /^1[56] refused, as they must be$/); // one more where a steward is installed
  assert.deepEqual(readdirSync(temporary), []);
});

test('grants that are too wide are found, each by the attack that they permit', { skip }, async () => {
  const wider = (paths: AttackedPaths): string =>
    attackedGrants(paths)
      .replace(/(files\/read: .*)paths: .*\}/, '$1paths: [/]}')
      .replace(/files\/chmod: \{/, 'files/chown: {allowed: true, paths: [/]}\n      $&setid: true, ')
      .replace('net.ipv4.ip_forward', 'kernel.core_pattern');
  const { holds, wrong } = await checkAttacks({ ...options, grants: wider });
  assert.deepEqual(names(wrong), [
    'kernel parameter',
    'path beside the granted one',
    'path with ..',
    'setuid bit',
    'tool without a grant',
  ]);
  assert.match(wrong.join(), /path with \.\.: answered with a result, not with path_restricted/);
  assert.notEqual(holds, '');
  const none = await checkAttacks({ ...options, grants: () => 'version: 1\nusers: {}\n' });
  assert.ok(none.wrong.includes('granted read: failed: not_granted'), none.wrong.join());
});

test(
  'a broker that refuses and does not record it, or goes on after a breach of the protocol, is found',
  { skip },
  async (context) => {
    const directory = join(temporary, 'changed');
    context.after(() => rmSync(directory, { recursive: true }));
    mkdirSync(directory);
    for (const name of ['broker-worker.js', 'package.json']) symlinkSync(join(ROOT, 'dist', name), join(directory, name));
    const program = readFileSync(BROKER, 'utf8');
    const changed = async (pattern: RegExp, to: string): Promise<string[]> => {
      assert.match(program, pattern);
      writeFileSync(join(directory, 'broker.js'), program.replaceAll(pattern, to));
      return [...(await checkAttacks({ ...options, command: [process.execPath, ...flags, join(directory, 'broker.js')] })).wrong];
    };
    const silent = await changed(/kind: 'refusal'/g, "kind: 'intent'");
    assert.ok(silent.includes('path with ..: its refusal is not in the audit log'), silent.join());
    const lenient = await changed(/violation: 65/g, 'violation: 0');
    assert.deepEqual(names(lenient), ['malformed frame', 'unknown operation']);
  },
);

test('a broker that does not start, cannot read its configuration or is not done in time is found', { skip }, async () => {
  const failing: [Partial<AttackOptions>, RegExp][] = [
    [{ command: ['/no/such/program'] }, /^not tried to the end: .*closed the connection/],
    [{ grants: () => 'version: 2\n' }, /^not tried to the end: .*grants\.yaml:1: version/],
    [{ peer: { account: 'nobody', uid: own === 0 ? 0 : own + 1 } }, /^not tried to the end: .*peer/],
    [{ limitMs: 1 }, /^not tried to the end: not done within 0\.001 seconds$/],
  ];
  for (const [other, line] of failing) assert.match((await checkAttacks({ ...options, ...other })).wrong.join(), line);
  assert.deepEqual(readdirSync(temporary), []);
});

test('its log is chained, but makes no seals that would be announced to the journal', { skip }, async (context) => {
  const scratch = makeScratch(options.peer.account, attackedGrants);
  context.after(scratch.remove);
  const broker = await startAttacked(options, scratch, AbortSignal.timeout(300_000));
  assert.notEqual((await broker.open(scratch.tokens.wide)).capability, undefined);
  await broker.stop();
  const kinds = (await Array.fromAsync(readAudit(scratch.auditDir))).map(({ kind }) => kind);
  assert.deepEqual(kinds, ['start', 'session', 'stop']);
  assert.equal(existsSync(join(scratch.auditDir, ANCHOR_FILE)), false);
});

test('a changed file outside of the granted tree is noticed', (context) => {
  for (const change of [writeFileSync, (path: string) => chmodSync(path, 0o644)]) {
    const scratch = makeScratch('nobody', attackedGrants);
    context.after(scratch.remove);
    assert.equal(scratch.untouched(), true);
    change(scratch.paths.canary, 'overwritten\n');
    assert.equal(scratch.untouched(), false);
  }
});
