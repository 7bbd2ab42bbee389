/**
 * The shipped broker over a real socket: damaged sessions, which it answers or ends with the status of a breach, and calls of every row
 * with arguments of every kind, each of which gets its answer. Nothing outside the granted directory changes, nothing is left over.
 */
import assert from 'node:assert/strict';
import { mkdirSync, mkdtempSync, readFileSync, readdirSync, realpathSync, rmSync, symlinkSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { after, before, test } from 'node:test';
import { setTimeout as sleep } from 'node:timers/promises';
import { verifyAudit } from '@steward/shared/audit/verify.ts';
import { encodeJson } from '@steward/shared/ipc/frames.ts';
import { TABLE } from '../../broker/src/table.ts';
import { fuzz } from '../support/fuzz/fuzz.ts';
import { Random } from '../support/fuzz/random.ts';
import { seededArgs } from '../support/fuzz/seeds.ts';
import { mutated, sessionFrames } from '../support/fuzz/sessions.ts';
import { eventually } from '../support/pair.ts';
import { makeHome, startBroker, type BrokerHome, type RawBroker } from '../support/raw-broker.ts';

/** Calls under way at a time. */
const WINDOW = 6;
/** Rounds before memory is first measured. */
const WARM_UP = 800;
/** Memory of its own that the broker may have more at the end than after the warm-up, in KiB. */
const FLAT_KB = 5 * 1024;
/** A heap that has not found its size yet gets another chance; what leaks grows in every round. */
const ROUNDS = 5;

const base = realpathSync(mkdtempSync(join(tmpdir(), 'steward-sockets-')));
const inside = join(base, 'inside');
const ROWS = TABLE.map(({ op }) => op);
const called = new Set<string>();
let home: BrokerHome;

before(() => {
  for (const name of ['inside/sub', 'outside']) mkdirSync(join(base, name), { recursive: true });
  for (const name of ['inside/file', 'inside/sub/file', 'outside/file']) writeFileSync(join(base, name), 'text\n');
  symlinkSync('../outside', join(inside, 'link'));
  const tools = ['list', 'read', 'find', 'filetype', 'create', 'update', 'chmod', 'chown'];
  const grants = tools.map((name) => `      files/${name}: {allowed: true, paths: ["${inside}"]}\n`).join('');
  home = makeHome(`  ops:\n    tools:\n${grants}`, 'limits: {auth_failures_per_minute: 1000}\n');
});
after(() => {
  home.remove();
  rmSync(base, { recursive: true, force: true });
});

async function start(): Promise<RawBroker> {
  const broker = await startBroker(home, { bundle: true });
  await broker.client.hello();
  await broker.client.open(home.token('ops'));
  return broker;
}

/** A frame that says something in this session, damaged more often than not. */
function nextBytes(random: Random, capability: string, id: number): Buffer {
  const frame = random.pick(sessionFrames(random.pick(ROWS), id).slice(1));
  const ours = Buffer.from(frame.toString('latin1').replace('ab'.repeat(32), capability), 'latin1');
  return random.once(3) ? ours : mutated(ours, random);
}

test('a damaged session ends with the status of a breach, or in order, and never hangs', async (context) => {
  const endings = new Map<string, number>();
  await fuzz(context, { inputs: 16, share: 0.1, warmUp: 2 }, async (random) => {
    const { client, exit, child, stderr } = await start();
    for (let frames = 0; frames < 200 && !client.socket.destroyed && child.exitCode === null; frames += 1) {
      client.raw(nextBytes(random, client.capability, 2 * frames + 1000));
      if (frames % 4 === 0) await sleep(0);
    }
    client.socket.end();
    const status = await Promise.race([exit, sleep(60_000, 'hangs', { ref: false })]);
    assert.ok(status === 65 || status === 0, `ended with ${String(status)}\n${stderr()}`);
    assert.doesNotMatch(stderr(), /defect/);
    endings.set(String(status), (endings.get(String(status)) ?? 0) + 1);
    client.socket.destroy();
  });
  context.diagnostic(JSON.stringify([...endings]));
  assert.equal((await verifyAudit(home.auditDir)).state, 'good');
});

function residentKb(pid: number): number {
  return Number(/^RssAnon:\s+(\d+)/m.exec(readFileSync(`/proc/${pid}/status`, 'utf8'))?.[1]);
}

async function oneCall(broker: RawBroker, random: Random): Promise<string> {
  const row = random.pick(TABLE);
  const { op } = row;
  const { client } = broker;
  const args = seededArgs(row, random, inside);
  const id = client.nextId();
  const upload = op.upload !== undefined && random.once(2) ? Buffer.from('content\n') : undefined;
  const options = { id, deadlineMs: random.pick([0, 1, 5000, 2 ** 32 - 1]), ...(upload === undefined ? {} : { upload }) };
  if (encodeJson({ args }) === undefined) return 'too large';
  const answer = client.call(op.name, args, options);
  if (random.once(8)) client.send({ type: 'cancel', id });
  const { key } = await answer;
  called.add(op.name);
  assert.notEqual(key, 'internal', `${op.name} ${JSON.stringify(args)}`);
  return key ?? 'done';
}

test('every call of every row is answered, in flat memory', { timeout: 3_600_000 }, async (context) => {
  const broker = await start();
  context.after(() => broker.stop());
  const pid = broker.child.pid ?? 0;
  const descriptors = (): number => readdirSync(`/proc/${pid}/fd`).length;
  const outside = (): string => readFileSync(join(base, 'outside/file'), 'utf8') + readdirSync(join(base, 'outside')).join();
  const untouched = outside();
  const keys = new Map<string, number>();
  let [memory, open] = [0, 0];
  await fuzz(context, { inputs: 1600, share: 0.1, warmUp: WARM_UP }, async (random, input) => {
    const answers = await Promise.all(Array.from({ length: WINDOW }, () => oneCall(broker, random)));
    for (const key of answers) keys.set(key, (keys.get(key) ?? 0) + 1);
    broker.client.messages.length = 0;
    if (input === WARM_UP) [memory, open] = [residentKb(pid), descriptors()];
  });
  context.diagnostic([...keys].map(([key, times]) => `${times} ${key}`).join(', '));
  let grown = residentKb(pid) - memory;
  for (let round = 1; grown >= FLAT_KB && round < ROUNDS; round += 1) {
    context.diagnostic(`memory ${grown} KiB more`);
    memory = residentKb(pid);
    for (let input = 0; input < WARM_UP; input += 1) {
      await Promise.all(Array.from({ length: WINDOW }, () => oneCall(broker, new Random(round, input))));
      broker.client.messages.length = 0;
    }
    grown = residentKb(pid) - memory;
  }
  context.diagnostic(`memory ${grown} KiB more`);
  assert.ok(grown < FLAT_KB, `the broker grew by ${grown} KiB`);
  await eventually(() => descriptors() <= open, 30_000);
  assert.equal(readFileSync(`/proc/${pid}/task/${pid}/children`, 'latin1').trim(), '');
  assert.equal(outside(), untouched);
  assert.equal(await broker.stop(), 0);
  assert.ok((keys.get('done') ?? 0) > 100);
  assert.deepEqual([...called].sort(), ROWS.map(({ name }) => name).sort(), 'every row was called');
  assert.equal((await verifyAudit(home.auditDir)).state, 'good');
});
