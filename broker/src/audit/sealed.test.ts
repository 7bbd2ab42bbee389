/** The audit log with its seals: when they are made, what a crash between two steps leaves, and a log that cannot be sealed. */
import assert from 'node:assert/strict';
import { execFileSync } from 'node:child_process';
import { chmodSync, cpSync, mkdirSync, mkdtempSync, readdirSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { test } from 'node:test';
import { readAudit } from '@steward/shared/audit/read.ts';
import { makeSeal, openSealKeys } from '@steward/shared/audit/seal-keys.ts';
import type { AuditRecord } from '@steward/shared/audit/record.ts';
import { Sealer } from '@steward/shared/audit/sealer.ts';
import { verifyAudit } from '@steward/shared/audit/verify.ts';
import { AuditLog } from './log.ts';
import { eventually } from '../../../test/support/pair.ts';

interface Cleanup {
  after(fn: () => void): void;
}

/** A place for a log and its keys. */
class Place {
  readonly scratch = mkdtempSync(join(tmpdir(), 'steward-sealing-'));
  readonly log = join(this.scratch, 'audit');
  readonly keys = join(this.scratch, 'keys');
  readonly announced: string[] = [];
  readonly reported: string[] = [];
  /** As if the broker died between the new key and the record of the seal. */
  dies = false;

  constructor(context: Cleanup) {
    context.after(() => rmSync(this.scratch, { recursive: true, force: true }));
  }

  open(everySeconds = 3600, segmentBytes = 16_777_216): Promise<AuditLog> {
    const sealer = new Sealer({
      everySeconds,
      open: async () => openSealKeys(this.keys, this.log),
      make: async (request) => {
        const seal = makeSeal(this.keys, request);
        if (this.dies) throw new Error('died');
        return seal;
      },
      announce: (line) => this.announced.push(line),
      report: (line) => this.reported.push(line),
    });
    return AuditLog.open({ directory: this.log, segmentBytes, tableDigest: '', sealer });
  }

  async seals(): Promise<AuditRecord[]> {
    return Array.fromAsync(readAudit(this.log, { kind: 'seal' }));
  }
}

test('the end of a run is sealed, and the next run goes on with the next key', async (context) => {
  const place = new Place(context);
  for (let run = 0; run < 3; run += 1) {
    const log = await place.open();
    await log.append({ kind: 'intent', op: 'files/chown' });
    await log.close();
  }
  const seals = await place.seals();
  assert.deepEqual(
    seals.map(({ seal }) => [seal?.epoch, seal?.final, seal?.head]),
    [
      [1, true, 3],
      [2, true, 7],
      [3, true, 11],
    ],
  );
  const verdict = await verifyAudit(place.log, { now: Date.now() + 86_400_000 });
  assert.deepEqual([verdict.state, verdict.keyed, verdict.seals], ['good', true, 3], verdict.message);
  // The first key and what every seal says of the next one were announced.
  assert.deepEqual(
    place.announced.map((line) => /epoch (\d+) .* after (\d+) /.exec(line)?.slice(1).join(' after ')),
    ['1 after 0', '2 after 3', '3 after 7', '4 after 11'],
  );
  assert.equal(verdict.anchor, place.announced.at(-1));
});

test('many records, a full segment and time make a seal due, and no record waits for it', async (context) => {
  const place = new Place(context);
  const many = await place.open();
  await Promise.all(Array.from({ length: 300 }, () => many.append({ kind: 'refusal' })));
  await eventually(async () => (await place.seals()).length === 1, 30_000);
  await many.close();
  const segments = await place.open(3600, 4096);
  for (let index = 0; index < 30; index += 1) await segments.append({ kind: 'refusal', detail: 'x'.repeat(200) });
  await eventually(async () => (await place.seals()).length === 3, 30_000);
  await segments.close();
  const timed = await place.open(1);
  await eventually(async () => (await place.seals()).length >= 6, 30_000);
  await timed.close();
  assert.equal((await verifyAudit(place.log)).state, 'good');
});

test('a seal that a crash kept from the log is recorded by the next start', async (context) => {
  const place = new Place(context);
  place.dies = true;
  const dead = await place.open();
  await dead.append({ kind: 'intent' });
  await dead.close();
  assert.deepEqual(await place.seals(), []);
  assert.deepEqual(readdirSync(place.keys), ['2.key']);
  place.dies = false;
  await (await place.open()).close();
  assert.deepEqual(
    (await place.seals()).map(({ seal }) => [seal?.epoch, seal?.head]),
    [
      [1, 3],
      [2, 6],
    ],
  );
  const verdict = await verifyAudit(place.log);
  assert.equal(verdict.state, 'good', verdict.message);
});

test('a seal that is recorded twice because of a crash does no harm', async (context) => {
  const place = new Place(context);
  const crashed = await place.open(1);
  await eventually(async () => (await place.seals()).length >= 2, 30_000);
  await crashed.append({ kind: 'intent' });
  const [log, keys] = [join(place.scratch, 'log-then'), join(place.scratch, 'keys-then')];
  cpSync(place.log, log, { recursive: true, filter: (path) => !path.includes('lock') });
  cpSync(place.keys, keys, { recursive: true });
  await crashed.close();
  rmSync(place.log, { recursive: true });
  rmSync(place.keys, { recursive: true });
  mkdirSync(place.log, { mode: 0o700 });
  cpSync(log, place.log, { recursive: true });
  cpSync(keys, place.keys, { recursive: true });
  const again = await place.open();
  await again.append({ kind: 'intent' });
  await again.close();
  const epochs = (await place.seals()).map(({ seal }) => seal?.epoch);
  assert.ok(new Set(epochs).size < epochs.length, epochs.join());
  const verdict = await verifyAudit(place.log);
  assert.equal(verdict.state, 'good', verdict.message);
  assert.match(verdict.message, /the log is closed$/);
});

test('a log that cannot be sealed goes on and says so; its end grows too old', async (context) => {
  const place = new Place(context);
  writeFileSync(place.keys, 'in the way of the directory');
  const log = await place.open();
  assert.equal(await log.append({ kind: 'intent' }), 2);
  await log.close();
  assert.deepEqual(place.reported, ['the audit log is not sealed: file exists']);
  const rest = await Array.fromAsync(readAudit(place.log));
  assert.deepEqual(
    rest.map(({ kind }) => kind),
    ['start', 'intent', 'stop'],
  );
  assert.equal((await verifyAudit(place.log)).keyed, false);
});

test('a sealed end without a stop leaves what was not finished to the next start', async (context) => {
  const place = new Place(context);
  const killed = await place.open();
  const intents = Array.from({ length: 5000 }, () => killed.append({ kind: 'intent', op: 'files/chown' }));
  await Promise.all(intents); // so many that they cannot all be read while the log is being opened
  const copy = new Place(context);
  for (const part of ['log', 'keys'] as const) {
    cpSync(place[part], copy[part], { recursive: true, verbatimSymlinks: true });
    chmodSync(copy[part], 0o700);
  }
  await killed.close();
  await (await copy.open()).close(); // in order, but before it has named them: a final seal and no stop
  const next = await copy.open();
  const aborted = async (): Promise<number> => (await Array.fromAsync(readAudit(copy.log, { kind: 'aborted' }))).length;
  await eventually(async () => (await aborted()) === intents.length, 60_000);
  await next.close();
  assert.equal((await verifyAudit(copy.log)).state, 'good');
});

test('keys that were lost do not pass for the ones before', async (context) => {
  const place = new Place(context);
  await (await place.open()).close();
  rmSync(place.keys, { recursive: true });
  await (await place.open()).close();
  const verdict = await verifyAudit(place.log);
  assert.deepEqual([verdict.state, verdict.message], ['altered', 'a seal of epoch 1 where 2 belongs']);
});

// abuse 106: broker
test('a directory that may only grow is enough for the log', async (context) => {
  const place = new Place(context);
  await (await place.open()).close();
  const only = (flag: string): void => void execFileSync('chattr', [flag, place.log], { stdio: 'ignore' });
  try {
    only('+a');
  } catch {
    return; // this file system, or this account, has no such flag: then no directory here can be so
  }
  try {
    for (let run = 0; run < 2; run += 1) {
      const log = await place.open(3600, 4096);
      for (let index = 0; index < 20; index += 1) await log.append({ kind: 'refusal', detail: 'x'.repeat(300) });
      await log.close();
    }
    assert.throws(() => rmSync(join(place.log, readdirSync(place.log)[0]!)), { code: 'EPERM' });
    assert.equal((await verifyAudit(place.log)).state, 'good');
  } finally {
    only('-a');
  }
});
