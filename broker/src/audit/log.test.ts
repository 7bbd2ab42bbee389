/**
 * The audit log under load, crashes and full disks: what was promised is in the chain, and what is in the chain verifies.
 */
import assert from 'node:assert/strict';
import { execFileSync, spawn } from 'node:child_process';
import { once } from 'node:events';
import {
  appendFileSync,
  chmodSync,
  chownSync,
  cpSync,
  mkdirSync,
  mkdtempSync,
  readdirSync,
  readFileSync,
  rmSync,
  statSync,
  symlinkSync,
  writeFileSync,
} from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { test } from 'node:test';
import { readAudit } from '@steward/shared/audit/read.ts';
import type { AuditRecord } from '@steward/shared/audit/record.ts';
import { verifyAudit } from '@steward/shared/audit/verify.ts';
import { StewardError } from '@steward/shared/errors.ts';
import { AuditLog } from './log.ts';

const isRoot = process.geteuid?.() === 0;

/** A scratch directory for one test, and the log's place in it. */
function place(context: { after(fn: () => void): void }): string {
  const scratch = mkdtempSync(join(tmpdir(), 'steward-audit-'));
  context.after(() => rmSync(scratch, { recursive: true, force: true }));
  return join(scratch, 'audit');
}

function open(directory: string, segmentBytes = 16_777_216): Promise<AuditLog> {
  return AuditLog.open({ directory, segmentBytes, tableDigest: 'ab'.repeat(32) });
}

async function records(directory: string): Promise<AuditRecord[]> {
  return Array.fromAsync(readAudit(directory));
}

function segments(directory: string): string[] {
  return readdirSync(directory).filter((name) => name.endsWith('.jsonl'));
}

/** The code and reason with which an append was refused. */
async function refusal(promise: Promise<number>): Promise<string> {
  const error: unknown = await promise.then(
    () => undefined,
    (caught: unknown) => caught,
  );
  assert.ok(error instanceof StewardError, 'must be refused');
  assert.equal(error.key, 'audit_unavailable');
  return String(error.params['reason']);
}

test('records are numbered, chained and private', async (context) => {
  const directory = place(context);
  const log = await open(directory);
  assert.equal(await log.append({ kind: 'intent', user: 'alice', op: 'files/chown', object: '/srv/x\n{"seq":9}' }), 2);
  assert.equal(await log.append({ kind: 'outcome', intent: 2, code: 'OK' }), 3);
  await log.close();
  assert.deepEqual(
    (await records(directory)).map(({ seq, kind }) => `${seq} ${kind}`),
    ['1 start', '2 intent', '3 outcome', '4 stop'],
  );
  assert.equal((await verifyAudit(directory)).state, 'good');
  assert.equal(statSync(directory).mode & 0o777, 0o700);
  const [name] = segments(directory);
  assert.match(name!, /^\d{8}T\d{6}Z-000001\.jsonl$/);
  assert.equal(statSync(join(directory, name!)).mode & 0o777, 0o600);
});

test('a thousand records at once share few flushes and keep their order', async (context) => {
  const directory = place(context);
  const log = await open(directory);
  const file = join(directory, segments(directory)[0]!);
  const sizes = new Set<number>();
  const promises = Array.from({ length: 1000 }, (_, index) =>
    log.append({ kind: 'intent', op: 'files/read', object: `/o/${index}` }).then((seq) => {
      sizes.add(statSync(file).size);
      return seq;
    }),
  );
  const seqs = await Promise.all(promises);
  assert.deepEqual(
    seqs,
    Array.from({ length: 1000 }, (_, index) => index + 2),
  );
  assert.ok(sizes.size <= 5, `the file grew ${sizes.size} times`);
  await log.close();
  const objects = (await records(directory)).filter(({ kind }) => kind === 'intent').map(({ object }) => object);
  assert.deepEqual(
    objects,
    Array.from({ length: 1000 }, (_, index) => `/o/${index}`),
  );
  assert.equal((await verifyAudit(directory)).state, 'good');
});

test('the chain goes on over segments and restarts', async (context) => {
  const directory = place(context);
  for (let run = 0; run < 3; run += 1) {
    const log = await open(directory, 4096);
    for (let index = 0; index < 50; index += 1) await log.append({ kind: 'refusal', detail: 'x'.repeat(200) });
    await log.close();
  }
  assert.ok(segments(directory).length > 6);
  const verdict = await verifyAudit(directory);
  assert.deepEqual([verdict.state, verdict.records], ['good', 3 * 52]);
});

test('a directory that others could change is refused', async (context) => {
  const directory = place(context);
  await (await open(directory)).close();
  chmodSync(directory, 0o750);
  await assert.rejects(open(directory), /has mode 750, not 700/);
  chmodSync(directory, 0o700);
  const link = `${directory}-link`;
  symlinkSync(directory, link);
  await assert.rejects(open(link), { key: 'audit_unavailable' });
});

test(
  'a directory of somebody else is refused',
  { skip: isRoot ? false : 'needs root to give a directory away' },
  async (context) => {
    const directory = place(context);
    await (await open(directory)).close();
    chownSync(directory, 65534, 65534);
    await assert.rejects(open(directory), /belongs to uid 65534, not 0/);
  },
);

// abuse 104: broker
test('an unfinished last line stays and is accounted for', async (context) => {
  const directory = place(context);
  await (await open(directory)).close();
  const file = join(directory, segments(directory)[0]!);
  appendFileSync(file, '{"seq":3,"time":"2026');
  assert.equal((await verifyAudit(directory)).state, 'truncated');
  const log = await open(directory);
  await log.close();
  assert.match(readFileSync(file, 'utf8'), /\n\{"seq":3,"time":"2026$/);
  const kinds = (await records(directory)).map(({ kind }) => kind);
  assert.deepEqual(kinds, ['start', 'stop', 'recovered', 'start', 'stop']);
  assert.equal((await verifyAudit(directory)).state, 'good');
  writeFileSync(file, `${readFileSync(file, 'utf8').slice(0, -1)}7`);
  assert.equal((await verifyAudit(directory)).state, 'altered');
});

test('a log whose end is no record refuses everything and says why', async (context) => {
  const directory = place(context);
  await (await open(directory)).close();
  const [name] = segments(directory);
  appendFileSync(join(directory, name!), 'nonsense\n');
  const log = await open(directory);
  assert.equal(await refusal(log.append({ kind: 'intent' })), `the last line of ${name!} is not a record`);
  await log.close();
});

/** A child that records intents as fast as it can and says each number that was promised to it. */
const WRITER = `
  import { AuditLog } from ${JSON.stringify(new URL('./log.ts', import.meta.url).href)};
  const log = await AuditLog.open({ directory: process.argv[1], segmentBytes: 65536, tableDigest: '' });
  const one = async () => { for (;;) process.stdout.write(await log.append({ kind: 'intent', op: 'files/chown', user: 'alice' }) + '\\n'); };
  await Promise.all(Array.from({ length: 16 }, one));
`;

// abuse 104: broker
test('kill -9 loses no promised record, and the next start names what was not finished', async (context) => {
  const directory = place(context);
  const child = spawn(process.execPath, ['--input-type=module', '-e', WRITER, directory], {
    stdio: ['ignore', 'pipe', 'inherit'],
  });
  let said = '';
  child.stdout.setEncoding('utf8').on('data', (text: string) => {
    said += text;
    if (said.length > 3000) child.kill('SIGKILL');
  });
  await once(child, 'close');
  const promised = said.split('\n').slice(0, -1).map(Number);
  const before = new Set((await records(directory)).map(({ seq }) => seq));
  assert.deepEqual(
    promised.filter((seq) => !before.has(seq)),
    [],
  );
  const log = await open(directory);
  await log.append({ kind: 'refusal' });
  for (
    let wait = 0;
    wait < 200 && (await records(directory)).filter(({ kind }) => kind === 'aborted').length < promised.length;
    wait += 1
  ) {
    await new Promise((resolve) => setTimeout(resolve, 20));
  }
  await log.close();
  const after = await records(directory);
  const intents = after.filter(({ kind }) => kind === 'intent').map(({ seq }) => seq);
  const aborted = after.filter(({ kind }) => kind === 'aborted');
  assert.deepEqual(
    aborted.map(({ intent }) => intent),
    intents,
  );
  const start = after.findLast(({ kind }) => kind === 'start')?.seq ?? Number.NaN;
  assert.ok(aborted.every(({ user, op, seq }) => user === 'alice' && op === 'files/chown' && seq > start));
  assert.equal((await verifyAudit(directory)).state, 'good');
});

test('a start that ends before it has named what was not finished leaves that to the next one', async (context) => {
  const killed = place(context);
  const log = await open(killed);
  const intents = Array.from({ length: 5000 }, () => log.append({ kind: 'intent', op: 'files/chown' }));
  await Promise.all(intents); // so many that they cannot all be read while the log is being opened
  const directory = `${killed}-copy`;
  cpSync(killed, directory, { recursive: true, verbatimSymlinks: true });
  chmodSync(directory, 0o700);
  await log.close();
  await (await open(directory)).close();
  const next = await open(directory);
  const aborted = async (): Promise<number> => (await records(directory)).filter(({ kind }) => kind === 'aborted').length;
  for (let wait = 0; wait < 100 && (await aborted()) < intents.length; wait += 1)
    await new Promise((resolve) => setTimeout(resolve, 300));
  await next.close();
  assert.equal(await aborted(), intents.length);
});

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

const needsMount = { skip: isRoot ? false : 'needs root to mount a small file system' };

// abuse 99, 100, 101: broker
test('a full disk refuses what is new, keeps outcomes, and recovers by itself', needsMount, async (context) => {
  const disk = smallDisk(context, 512);
  const directory = join(disk, 'audit');
  const log = await open(directory);
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
  const log = await open(directory);
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

test('a record that is no JSON is refused alone', async (context) => {
  const directory = place(context);
  const log = await open(directory);
  const circular: Record<string, unknown> = {};
  circular['self'] = circular;
  const good = log.append({ kind: 'refusal' });
  await assert.rejects(log.append({ kind: 'refusal', args: circular }), TypeError);
  assert.equal(await good, 2);
  await log.close();
  assert.equal((await verifyAudit(directory)).state, 'good');
});
