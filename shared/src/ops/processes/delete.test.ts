/** Proves who is signalled and who never is, with real processes. */
import assert from 'node:assert/strict';
import { spawn } from 'node:child_process';
import { readdirSync } from 'node:fs';
import { after, test } from 'node:test';
import { Worker } from 'node:worker_threads';
import { holdProcess, readHeld, refuseProtected } from '../../host/held-process.ts';
import { parseSignal, SIGNALS } from '../../host/signals.ts';
import { failsWith, testContext } from '../../testing/context.ts';
import { openDescriptors } from '../../testing/tree.ts';
import { endedProcess, endVictim, hasEnded, isAlive, startVictim } from '../../testing/victims.ts';
import type { PathSubject } from '../../host/subject.ts';
import { processesDelete } from './delete.ts';

const victims: number[] = [];
after(() => victims.forEach(endVictim));

function victim(uid?: number): number {
  const pid = startVictim(uid === undefined ? {} : { uid });
  victims.push(pid);
  return pid;
}

const root = process.getuid?.() === 0;

test('sends the signal that was asked for', async () => {
  const pid = victim();
  const context = testContext();
  const before = openDescriptors();
  const result = await processesDelete.run({ pid, signal: 'SIGTERM' }, context);
  assert.deepEqual({ ...result, owner: '' }, { pid, signal: 'SIGTERM', dry_run: false, comm: 'sleep', owner: '' });
  assert.equal(context.begun.count, 1);
  assert.ok(await hasEnded(pid));
  assert.equal(openDescriptors(), before);
  const other = victim();
  assert.equal((await processesDelete.run({ pid: other }, testContext())).signal, 'SIGTERM');
  assert.ok(await hasEnded(other));
});

test('a dry run changes nothing', async () => {
  const pid = victim();
  const context = testContext();
  const result = await processesDelete.run({ pid, signal: 'SIGKILL', dry_run: true }, context);
  assert.equal(result.dry_run, true);
  assert.equal(context.begun.count, 0);
  await new Promise((done) => setTimeout(done, 50));
  assert.ok(isAlive(pid));
});

test('no such process: never there, ended, a thread', async () => {
  const { pid: ended } = await endedProcess(() => undefined);
  for (const pid of [ended, 4_194_305, 2 ** 32 + process.pid, Number.MAX_SAFE_INTEGER]) {
    await assert.rejects(processesDelete.run({ pid }, testContext()), failsWith('no_such_process', { pid }));
  }
  const worker = new Worker('setTimeout(() => {}, 5000)', { eval: true });
  await new Promise((done) => worker.once('online', done));
  const threads = readdirSync('/proc/self/task')
    .map(Number)
    .filter((tid) => tid !== process.pid);
  assert.ok(threads.length > 0);
  for (const tid of threads) {
    await assert.rejects(processesDelete.run({ pid: tid, signal: 'SIGKILL' }, testContext()), failsWith('no_such_process'));
  }
  await worker.terminate();
});

test('init, itself, its children, and processes of the pair are protected', async () => {
  await assert.rejects(processesDelete.run({ pid: 1 }, testContext()), failsWith('protected_process', { pid: 1 }));
  await assert.rejects(processesDelete.run({ pid: process.pid }, testContext()), failsWith('protected_process'));
  const child = spawn('sleep', ['60']);
  const pid = child.pid ?? 0;
  victims.push(pid);
  await assert.rejects(processesDelete.run({ pid, dry_run: true }, testContext()), failsWith('protected_process', { pid }));
  const peer = victim();
  const guard = { ...testContext().guard, list: { trees: [], readOnly: [], pids: [peer] } };
  await assert.rejects(processesDelete.run({ pid: peer }, testContext({ guard })), failsWith('protected_process', { pid: peer }));
  assert.ok(isAlive(peer) && isAlive(pid));
});

test('kernel threads are protected, whatever their number', () => {
  const { guard } = testContext();
  const held = holdProcess('/', process.ppid);
  const facts = readHeld(held, process.ppid);
  held.close();
  const check = (given: object) => () => refuseProtected('/nowhere', { ...facts, ...given }, guard);
  assert.throws(check({ pid: 4000, ppid: 2, kernelThread: true }), failsWith('protected_process', { pid: 4000 }));
  assert.throws(check({ pid: 2, ppid: 0, kernelThread: true }), failsWith('protected_process'));
  assert.doesNotThrow(check({ pid: 4000, ppid: 2, kernelThread: false }));
});

test('a number that another process got between check and signal is left alone', async () => {
  const { pid: first, made: held } = await endedProcess((pid) => holdProcess('/', pid));
  // the number may be anybody's now; what was judged is gone
  await assert.rejects(processesDelete.run({ pid: first }, testContext({ subject: held })), failsWith('no_such_process'));
  held.close();

  // the same number, but another start time: as if the process had been replaced while the intent was put on record
  const second = victim();
  const other = holdProcess('/', second);
  let looks = 0;
  const swapped: PathSubject = {
    ...other,
    get object() {
      looks += 1;
      // the first look is at the process that was judged, later ones at this test, which began earlier
      return looks <= 2 ? other.object : mine.object;
    },
  };
  const mine = holdProcess('/', process.pid);
  await assert.rejects(processesDelete.run({ pid: second }, testContext({ subject: swapped })), failsWith('no_such_process'));
  assert.ok(isAlive(second));
  other.close();
  mine.close();
});

test('a process that became another account is not signalled', { skip: !root && 'needs root' }, async () => {
  const pid = victim(65534);
  const held = holdProcess('/', pid);
  const { object } = held;
  assert.ok(object !== undefined);
  const stat = Object.assign(Object.create(object.stat) as typeof object.stat, { uid: 1234n });
  const judged = { ...held, object: { ...object, stat } };
  await assert.rejects(
    processesDelete.run({ pid }, testContext({ subject: judged })),
    failsWith('signal_not_permitted', { pid }),
  );
  assert.ok(isAlive(pid));
  held.close();
});

test('what the kernel refuses, in a dry run too', { skip: !root && 'needs root to be somebody else' }, async () => {
  const pid = victim(1234); // not of this test's real uid, which the kernel would accept
  process.seteuid?.(65534);
  try {
    const refused = failsWith('signal_not_permitted', { pid, errno: 'EPERM' });
    await assert.rejects(processesDelete.run({ pid, dry_run: true }, testContext()), refused);
    await assert.rejects(processesDelete.run({ pid }, testContext()), refused);
  } finally {
    process.seteuid?.(0);
  }
  assert.ok(isAlive(pid));
});

test('signals by name, with or without SIG, in any case; never by number', () => {
  assert.deepEqual(['kill', 'SIGKILL', 'Kill', 'sigkill'].map(parseSignal), ['SIGKILL', 'SIGKILL', 'SIGKILL', 'SIGKILL']);
  for (const signal of ['9', '-9', 'SIGSEGV', 'STKFLT', '', 'SIGSIGTERM', '-l', 'TERM\n', '$(id)']) {
    assert.throws(() => parseSignal(signal), failsWith('signal_invalid', { signal, allowed: SIGNALS.join(', ') }));
  }
});
