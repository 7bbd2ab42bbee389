/** Proves that two threads that share a scan give the answer of one, whatever becomes of the second. */
import assert from 'node:assert/strict';
import { linkSync, mkdirSync, mkdtempSync, rmSync, symlinkSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { after, before, test } from 'node:test';
import { resolveAsKernel } from '../host/resolve.ts';
import { ticketOf } from '../host/subjects.ts';
import { disksUsage } from '../ops/disks/usage.ts';
import { filesFind } from '../ops/files/find.ts';
import { filesList } from '../ops/files/list.ts';
import { networkConnections, type ConnectionRecord } from '../ops/network/connections.ts';
import type { AnyOperation } from '../ops/operation.ts';
import { failsWith, testContext } from '../testing/context.ts';
import { runOp } from '../testing/operations.ts';
import { openDescriptors } from '../testing/tree.ts';
import type { WorkJob } from './job.ts';
import { WorkerPool } from './pool.ts';
import { TeamHelper, TeamLead, type Invitation } from './team.ts';

const pool = new WorkerPool({ file: new URL('../testing/worker.ts', import.meta.url), nameForRoot: 'test-worker' });

/** Directories of a tree that is worth sharing. */
const MANY = 400;
const root = mkdtempSync(join(tmpdir(), 'steward-team-'));
before(() => fill());
after(async () => {
  await pool.close();
  rmSync(root, { recursive: true });
});

/** Directories three deep, with a file each; every tenth file has a second name somewhere else. */
function fill(): void {
  for (let index = 0; index < MANY; index++) {
    const directory = `${root}/${String(index % 7)}/${String(index % 100)}/d${String(index)}`;
    mkdirSync(directory, { recursive: true });
    writeFileSync(`${directory}/f${String(index)}`, 'x'.repeat(index));
    if (index % 10 === 0) linkSync(`${directory}/f${String(index)}`, `${root}/${String((index + 3) % 7)}-${String(index)}`);
  }
}

async function inPool(op: AnyOperation, args: { path?: string }, signal = new AbortController().signal, host = '/') {
  const subject = op.path === undefined ? undefined : resolveAsKernel(args.path ?? '/', op.path);
  const rights = { guard: { trees: [], readOnly: [], pids: [] }, privileged: false, allowSetid: false, root: host };
  const job: WorkJob = { op: op.name, args, subject: subject === undefined ? undefined : ticketOf(subject), ...rights };
  const pieces: Uint8Array[] = [];
  try {
    const result = await pool.run(job, (bytes) => Promise.resolve(void pieces.push(bytes)), signal);
    return { result, text: Buffer.concat(pieces).toString() };
  } finally {
    subject?.close();
  }
}

/** Stopped after so many milliseconds, unless it was quicker. */
async function inPoolFor(milliseconds: number, op: AnyOperation, args: { path?: string }, host?: string): Promise<void> {
  const stopped = new AbortController();
  const timer = setTimeout(() => stopped.abort(), milliseconds);
  await inPool(op, args, stopped.signal, host).then(
    () => undefined,
    (error: unknown) => assert.ok(failsWith('cancelled')(error)),
  );
  clearTimeout(timer);
}

test('a search by two threads finds what one finds, in the same order', async () => {
  const alone = await runOp(filesFind, { path: root });
  assert.ok(alone.records.length > 2 * MANY);
  await inPool(filesFind, { path: root }); // the threads are there now
  const before = openDescriptors();
  for (let round = 0; round < 5; round++) assert.equal((await inPool(filesFind, { path: root })).text, alone.bytes.toString());
  assert.ok(openDescriptors() <= before + 40, 'a helper that starts late has some of its own');
});

test('what two threads find beyond what they hold in memory is told in the same order', async () => {
  const large = mkdtempSync(join(tmpdir(), 'steward-team-large-'));
  try {
    for (let index = 0; index < 3 * MANY; index++) {
      const directory = `${large}/${String(index % 9)}/${'d'.repeat(200)}${String(index)}`;
      mkdirSync(directory, { recursive: true });
      for (let file = 0; file < 15; file++) writeFileSync(`${directory}/${'f'.repeat(200)}${String(file)}`, '');
    }
    const alone = await runOp(filesFind, { path: large });
    assert.ok(alone.bytes.length > 8 * 1024 * 1024);
    const before = openDescriptors();
    for (let round = 0; round < 3; round++) assert.equal((await inPool(filesFind, { path: large })).text, alone.bytes.toString());
    assert.ok(openDescriptors() <= before + 40, 'a helper that starts late has some of its own');
  } finally {
    rmSync(large, { recursive: true });
  }
});

test('a sum by two threads is that of one, each hard link once', async () => {
  const alone = await runOp(disksUsage, { path: root });
  for (let round = 0; round < 5; round++) assert.deepEqual((await inPool(disksUsage, { path: root })).result, alone.result);
});

test('a listing by two threads is that of one, in every order', async () => {
  const path = `${root}-many`;
  mkdirSync(path);
  try {
    for (let index = 0; index < 8000; index++) writeFileSync(`${path}/${index % 50 === 0 ? 'é\xff' : 'E'}${String(index)}`, '');
    const before = openDescriptors();
    for (const args of [{ path }, { path, sort: 'time', reverse: true } as const, { path, all: true, dirs_first: true }]) {
      const alone = await runOp(filesList, args);
      assert.ok(alone.records.length >= 8000);
      const { result, text } = await inPool(filesList, args);
      assert.deepEqual(result, alone.result);
      assert.equal(text, alone.bytes.toString());
    }
    assert.ok(openDescriptors() <= before + 40);
    for (const milliseconds of [5, 40, 60]) await inPoolFor(milliseconds, filesList, { path });
  } finally {
    rmSync(path, { recursive: true });
  }
});

/** Line `n` of a table; its inode is `n`. */
function socketLine(n: number): string {
  const port = (n % 5000).toString(16).toUpperCase().padStart(4, '0');
  return `${String(n).padStart(4)}: 0100007F:${port} 0200007F:0050 01 00000000:00000000 00:00000000 00000000     0        0 ${String(n)} 1\n`;
}

test('sockets whose owners two threads look for are told as by one', async () => {
  const host = `${root}-host`;
  const count = 6000;
  const pids = [5_000_007, 5_000_012, 5_000_100]; // no kernel gives these
  const head = '  sl  local_address rem_address   st tx_queue rx_queue tr tm->when retrnsmt   uid  timeout inode\n';
  try {
    mkdirSync(`${host}/proc/net`, { recursive: true });
    writeFileSync(`${host}/proc/net/tcp`, head + Array.from({ length: count }, (_, n) => socketLine(n + 1)).join(''));
    writeFileSync(`${host}/proc/net/udp`, head);
    for (const [index, pid] of pids.entries()) {
      const every = [1, 2, 3000][index] ?? 1;
      mkdirSync(`${host}/proc/${String(pid)}/fd`, { recursive: true });
      writeFileSync(`${host}/proc/${String(pid)}/comm`, `p"${String(pid)}\n`);
      for (let n = every; n <= count; n += every)
        symlinkSync(`socket:[${String(n)}]`, `${host}/proc/${String(pid)}/fd/${String(n + 2)}`);
    }
    const context = testContext<ConnectionRecord>({ root: host });
    const alone = await networkConnections.run({}, context);
    const lines = context.records.map((record) => `${JSON.stringify(record)}\n`);
    assert.equal(lines.length, count);
    assert.deepEqual(
      context.records.find(({ inode }) => inode === 3000)?.processes,
      pids.map((pid) => ({ name: `p"${String(pid)}`, pid, fd: 3002 })),
    );
    const before = openDescriptors();
    for (let round = 0; round < 5; round++) {
      const { result, text } = await inPool(networkConnections, {}, undefined, host);
      assert.deepEqual(result, alone);
      assert.equal(text, lines.join(''));
    }
    assert.ok(openDescriptors() <= before + 40);
    for (const milliseconds of [0, 5, 20, 40]) await inPoolFor(milliseconds, networkConnections, {}, host);
    assert.deepEqual((await inPool(networkConnections, {}, undefined, host)).result, alone);
  } finally {
    rmSync(host, { recursive: true });
  }
});

test('a shared search is stopped with both threads', async () => {
  for (const milliseconds of [0, 5, 20]) await inPoolFor(milliseconds, filesFind, { path: root });
  assert.equal((await inPool(filesFind, { path: root })).text, (await runOp(filesFind, { path: root })).bytes.toString());
});

function helped(count: number, fails = false): Promise<unknown> {
  const rights = { guard: { trees: [], readOnly: [], pids: [] }, privileged: false, allowSetid: false, root: '/' };
  const job: WorkJob = { op: 'test/helped', args: { count, fails }, subject: undefined, ...rights };
  return pool.run(job, () => Promise.resolve(), new AbortController().signal);
}

test('a job that asks for help gets it from another thread, again and again', { timeout: 60_000 }, async () => {
  for (let round = 0; round < 3; round++) assert.deepEqual(await helped(0), { parts: [['a', 'b']] });
});

test('a helper that fails fails the job', { timeout: 60_000 }, async () => {
  await assert.rejects(helped(1), /a defect of the helper/);
  assert.deepEqual(await helped(0), { parts: [['a', 'b']] });
});

test('a lead that fails does not leave its helper waiting', { timeout: 60_000 }, async () => {
  await assert.rejects(helped(0, true), /a defect of the lead/);
  assert.deepEqual(await helped(0), { parts: [['a', 'b']] });
});

/** A team whose members both live in this thread. */
async function makeTeam(): Promise<{ lead: TeamLead; helper: TeamHelper }> {
  const invited = Promise.withResolvers<Invitation>();
  const lead = new TeamLead((invitation) => invited.resolve(invitation));
  while (!lead.isAsked) {
    const asked = await Promise.race([invited.promise, Promise.resolve(undefined)]);
    if (asked !== undefined) return { lead, helper: new TeamHelper(asked) };
  }
  throw new Error('asked before anybody had joined');
}

test('pieces go to whoever waits, and the last one to finish ends it for both', async () => {
  const { lead, helper } = await makeTeam();
  const joined = helper.join();
  assert.equal(lead.isAsked, true);
  lead.give(['a']);
  assert.equal(lead.isAsked, false);
  assert.deepEqual(await joined, ['a']);
  const leadNext = lead.next();
  assert.equal(helper.isAsked, true);
  helper.give(['a', 'b']);
  assert.deepEqual(await leadNext, ['a', 'b']);
  const ended = [lead.next(), helper.next()];
  assert.deepEqual(await Promise.all(ended), [undefined, undefined]);
  helper.report(1, () => undefined);
  helper.complete();
  assert.deepEqual(await Array.fromAsync(lead.reports()), [1]);
  lead.close();
  helper.close();
});

test('who comes too late is not waited for', async () => {
  const { lead, helper } = await makeTeam();
  assert.equal(await lead.next(), undefined);
  assert.deepEqual(await Array.fromAsync(lead.reports()), []);
  assert.equal(await helper.join(), undefined);
  assert.equal(helper.isExpected, false);
  lead.close();
  helper.close();
});
