/**
 * A host that fails: no room for the log, a log that may not be written to, a clock that jumps, and programs of which only half were
 * upgraded. Nothing is done without its record, the reason is said, and work goes on by itself when the fault is gone.
 */
import assert from 'node:assert/strict';
import { execFileSync } from 'node:child_process';
import { cpSync, existsSync, mkdirSync, mkdtempSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { test, type TestContext } from 'node:test';
import { verifyAudit } from '@steward/shared/audit/verify.ts';
import { TABLE_DIGEST } from '@steward/shared/generated/table.ts';
import { logPlace, openLog } from '../support/audit-logs.ts';
import { DIST, isRoot, startPair } from '../support/pair.ts';
import { makeHome, startBroker, type BrokerHome, type RawBroker } from '../support/raw-broker.ts';

const skip = !isRoot && 'needs root to mount a file system';

interface Failing {
  readonly home: BrokerHome;
  readonly broker: RawBroker;
  /** Where files are made. */
  readonly place: string;
}

/** A broker whose log has a file system of its own of 1 MiB. */
async function onSmallDisk(context: TestContext, mode: 'rw' | 'ro' = 'rw'): Promise<Failing> {
  const place = mkdtempSync(join(tmpdir(), 'steward-faults-'));
  const home = makeHome(`  ops:\n    tools:\n      files/create: {allowed: true, paths: ["${place}"]}\n`);
  mkdirSync(home.auditDir, { mode: 0o700 });
  execFileSync('mount', ['-t', 'tmpfs', '-o', `size=1m,mode=0700,${mode}`, 'tmpfs', home.auditDir]);
  const broker = await startBroker(home, { bundle: true });
  context.after(async () => {
    await broker.stop();
    execFileSync('umount', ['--lazy', home.auditDir]);
    home.remove();
    rmSync(place, { recursive: true });
  });
  await broker.client.hello();
  await broker.client.open(home.token('ops'));
  return { home, broker, place };
}

/** Makes a file; the key of the refusal, if it was refused. */
async function make({ broker, place }: Failing, name: string): Promise<string | undefined> {
  const answer = await broker.client.call('files/create', { path: join(place, name) }, { upload: Buffer.from('content\n') });
  assert.equal(existsSync(join(place, name)), answer.key === undefined, 'done if and only if it was not refused');
  return answer.key;
}

// abuse 99: broker
test('without room for the log nothing is done; with room it goes on', { skip }, async (context) => {
  const failing = await onSmallDisk(context);
  const ballast = join(failing.home.auditDir, 'ballast');
  assert.equal(await make(failing, 'first'), undefined);
  try {
    writeFileSync(ballast, Buffer.alloc(4 * 1024 * 1024));
  } catch (error) {
    assert.equal((error as NodeJS.ErrnoException).code, 'ENOSPC');
  }
  // what is left of the last block may hold a few more records
  let key: string | undefined;
  for (let n = 0; key === undefined && n < 100; n += 1) key = await make(failing, `full-${n}`);
  assert.equal(key, 'audit_unavailable');
  assert.equal(await make(failing, 'second'), 'audit_unavailable');
  rmSync(ballast);
  assert.equal(await make(failing, 'third'), undefined);
  assert.equal((await verifyAudit(failing.home.auditDir)).state, 'good');
});

test('a log that may not be written to: nothing is done, and it goes on by itself', { skip }, async (context) => {
  const failing = await onSmallDisk(context, 'ro');
  assert.equal(await make(failing, 'first'), 'audit_unavailable');
  execFileSync('mount', ['-o', 'remount,rw', failing.home.auditDir]);
  assert.equal(await make(failing, 'second'), undefined);
  assert.equal((await verifyAudit(failing.home.auditDir)).state, 'good');
});

test('a clock that jumps back and forth does not break the chain', async (context) => {
  const directory = logPlace(context);
  context.mock.timers.enable({ apis: ['Date'], now: Date.parse('2026-11-20T23:59:50Z') });
  const log = await openLog(directory);
  const jumps = [
    '2026-11-21T00:00:05Z',
    '2026-11-20T12:00:00Z',
    '2027-11-20T12:00:00Z',
    '1970-01-01T00:00:00Z',
    '2026-11-21T00:00:00Z',
  ];
  for (const [index, time] of jumps.entries()) {
    context.mock.timers.setTime(Date.parse(time));
    assert.equal(await log.append({ kind: 'intent' }), index + 2);
  }
  await log.close();
  const { state, records } = await verifyAudit(directory);
  assert.deepEqual([state, records], ['good', jumps.length + 2]);
});

// abuse 27: frontend
test('programs of which only half were upgraded do not serve, and say how they differ', async (context) => {
  const dist = mkdtempSync(join(tmpdir(), 'steward-half-'));
  context.after(() => rmSync(dist, { recursive: true }));
  cpSync(DIST, dist, { recursive: true });
  const frontend = readFileSync(join(dist, 'frontend.js'), 'utf8');
  const other = 'ab'.repeat(32);
  assert.ok(frontend.includes(TABLE_DIGEST));
  writeFileSync(join(dist, 'frontend.js'), frontend.replaceAll(TABLE_DIGEST, other));
  await assert.rejects(startPair({ dist }), (error: Error) => {
    assert.match(error.message, new RegExp(`VERSION_SKEW: .*${other}.*${TABLE_DIGEST}`));
    return true;
  });
});
