/** Sealed logs and who has keys: neither today's keys nor made-up ones seal the past again, and of the used ones nothing is left. */
import assert from 'node:assert/strict';
import { cpSync, mkdirSync, readdirSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { test } from 'node:test';
import nacl from 'tweetnacl';
import { readAnchors } from './anchor.ts';
import { GENESIS, type AuditRecord } from './record.ts';
import { makeSeal, openSealKeys } from './seal-keys.ts';
import { sealedBytes } from './seal.ts';
import { verifyAudit } from './verify.ts';
import { emptyLog, LOG_BEGAN, writeEntries, type Written, SEGMENTS, check, rewrite, wholeLog } from '../testing/sealed-log.ts';

test("the past sealed again by somebody who has today's keys does not pass", async (context) => {
  const log = wholeLog(context);
  // Everything that root finds on the host today: the log, the state directory, and the time to do it well.
  const today = Number.parseInt(readdirSync(log.keys)[0]!, 10);
  assert.equal(today, 7);
  const forger = join(log.keys, '..', 'forger');
  for (const first of [1, today]) {
    mkdirSync(forger);
    if (first === today) cpSync(join(log.keys, '7.key'), join(forger, '7.key'));
    else openSealKeys(forger, mkdirAt(join(forger, '..', `public-${first}`)));
    const forged = emptyLog(context);
    writeEntries(
      { directory: forged.directory, keys: forger },
      SEGMENTS.map((entries) => entries.map(withCarol)),
    );
    const verdict = await verifyAudit(forged.directory, { anchors: readAnchors(log.anchor), now: LOG_BEGAN + 40_000 });
    assert.notEqual(verdict.state, 'good', verdict.message);
    rmSync(forger, { recursive: true });
  }
});

test('a forged seal that takes the place of a missing one is noticed at the next genuine one', async (context) => {
  const log = wholeLog(context);
  const pair = nacl.sign.keyPair();
  rewrite(log, (line, at) => {
    const record = JSON.parse(line) as AuditRecord;
    if (at !== 8 || record.seal === undefined) return line;
    const named = { ...record.seal, key: Buffer.from(pair.publicKey).toString('hex') };
    const sig = Buffer.from(nacl.sign.detached(sealedBytes(named), pair.secretKey)).toString('hex');
    return JSON.stringify({ ...record, seal: { ...named, sig } });
  });
  const { state, message } = await check(log);
  assert.deepEqual([state, message], ['altered', 'not signed with the key of epoch 2']);
});

test('of the secrets only the newest is left, and nothing of one that has signed', async (context) => {
  const log = emptyLog(context);
  const before = readFileSync(join(log.keys, '1.key'));
  const seal = makeSeal(log.keys, { head: 1, hash: GENESIS, made: '2026-11-20T10:00:00.000Z', every: 60, final: false });
  assert.deepEqual(readdirSync(log.keys), ['2.key']);
  const after = readFileSync(join(log.keys, '2.key'));
  assert.equal(after.includes(before.subarray(0, 64)), false);
  assert.equal(after.subarray(32, 64).toString('hex'), seal.key);
  // A crash between two steps leaves both, or half of the newer one.
  writeFileSync(join(log.keys, '1.key'), before);
  assert.equal(openSealKeys(log.keys, log.directory).epoch, 2);
  assert.deepEqual(readdirSync(log.keys), ['2.key']);
  writeFileSync(join(log.keys, '3.key'), after.subarray(0, 70));
  const state = openSealKeys(log.keys, log.directory);
  assert.deepEqual([state.epoch, state.last?.sig], [2, seal.sig]);
  assert.deepEqual(readdirSync(log.keys), ['2.key']);
});

const withCarol = (entry: Written): Written =>
  typeof entry === 'string' || entry.user === undefined ? entry : { ...entry, user: 'carol' };

function mkdirAt(path: string): string {
  mkdirSync(path);
  return path;
}
