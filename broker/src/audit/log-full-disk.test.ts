/** The audit log on a full disk: what is new is refused, outcomes are kept, and it goes on when there is room again. */
import assert from 'node:assert/strict';
import { execFileSync } from 'node:child_process';
import { mkdirSync, mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { test } from 'node:test';
import { verifyAudit } from '@steward/shared/audit/verify.ts';
import { type StewardError } from '@steward/shared/errors.ts';
import { openLog, records, refusal } from '../../../test/support/audit-logs.ts';

/** Mounts a tmpfs of `kilobytes` for one test. */
function smallDisk(context: { after(fn: () => void): void }, kilobytes: number): string {
  const disk = mkdtempSync(join(tmpdir(), 'steward-disk-'));
  execFileSync('mount', ['-t', 'tmpfs', '-o', `size=${kilobytes}k`, 'tmpfs', disk]);
  context.after(() => {
    execFileSync('umount', [disk]);
    rmSync(disk, { recursive: true });
  });
  return disk;
}

const isRoot = process.geteuid?.() === 0;

const needsMount = { skip: isRoot ? false : 'needs root to mount a small file system' };

// abuse 99, 100, 101: broker
test('a full disk refuses what is new, keeps outcomes, and recovers by itself', needsMount, async (context) => {
  const disk = smallDisk(context, 512);
  const directory = join(disk, 'audit');
  const log = await openLog(directory);
  const seq = await log.append({ kind: 'intent', op: 'files/chown' });
  assert.throws(() => writeFileSync(join(disk, 'ballast'), Buffer.alloc(1024 * 1024)), { code: 'ENOSPC' });
  let last = seq;
  const reasons: string[] = [];
  // The last page of the segment takes a few more before the disk is really full; one of these writes is cut short.
  for (let index = 0; index < 40; index += 1) {
    await log.append({ kind: 'intent', op: 'files/read', detail: 'x'.repeat(900) }).then(
      (number) => (last = number),
      (error: unknown) => reasons.push((error as StewardError).message),
    );
  }
  assert.ok(reasons.length > 30, `${reasons.length} refused`);
  assert.equal(reasons[0], 'refused: the audit log cannot be written (no space left on device) - nothing was done');
  assert.equal((await verifyAudit(directory)).state, 'good');
  assert.equal(await log.append({ kind: 'outcome', intent: seq, code: 'OK', detail: 'x'.repeat(6000) }), last + 1);
  assert.match(await refusal(log.append({ kind: 'intent' })), /no space left/);
  rmSync(join(disk, 'ballast'));
  assert.equal(await log.append({ kind: 'intent', op: 'after' }), last + 2);
  await log.close();
  const verdict = await verifyAudit(directory);
  assert.deepEqual([verdict.state, verdict.records], ['good', last + 3]);
});

test('a log that cannot be begun refuses, and begins when it can', needsMount, async (context) => {
  const disk = smallDisk(context, 64);
  const directory = join(disk, 'audit');
  mkdirSync(directory, { mode: 0o700 });
  assert.throws(() => writeFileSync(join(disk, 'ballast'), Buffer.alloc(128 * 1024)), { code: 'ENOSPC' });
  const log = await openLog(directory);
  assert.match(await refusal(log.append({ kind: 'intent' })), /no space left/);
  assert.deepEqual(await records(directory), []);
  rmSync(join(disk, 'ballast'));
  execFileSync('mount', ['-o', 'remount,size=1024k', disk]);
  assert.equal(await log.append({ kind: 'intent' }), 2);
  await log.close();
  assert.deepEqual(
    (await records(directory)).map(({ kind }) => kind),
    ['start', 'intent', 'stop'],
  );
  assert.equal((await verifyAudit(directory)).state, 'good');
});
