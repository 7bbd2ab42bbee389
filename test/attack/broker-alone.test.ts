/**
 * The shipped broker with nobody but an attacker at the other end of its socket: every row without a session and with wrong arguments,
 * frames that are announced and not sent, a reader that does not read, more calls than it runs, a connection that is torn.
 */
import assert from 'node:assert/strict';
import { mkdirSync, mkdtempSync, readFileSync, readdirSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { after, afterEach, before, test } from 'node:test';
import { setTimeout as sleep } from 'node:timers/promises';
import type { AuditRecord } from '@steward/shared/audit/record.ts';
import { verifyAudit } from '@steward/shared/audit/verify.ts';
import { BROKER_OPERATIONS } from '@steward/shared/generated/table.ts';
import { KIND_JSON } from '@steward/shared/ipc/frames.ts';
import { CREDIT_WINDOW, MAX_JSON_BYTES } from '@steward/shared/ipc/messages.ts';
import { OPERATIONS } from '@steward/shared/ops/index.ts';
import { plainArgs } from '../support/fuzz/sessions.ts';
import { eventually } from '../support/pair.ts';
import { makeHome, peerOfLauncher, startBroker, type BrokerHome, type RawBroker } from '../support/raw-broker.ts';

const USERS = ['ops', 'guest', 'u3', 'u4', 'u5'];
const ROWS = OPERATIONS.filter(({ name }) => BROKER_OPERATIONS.includes(name));
const base = mkdtempSync(join(tmpdir(), 'steward-alone-'));
let home: BrokerHome;
const grantsFor = (directory: string): string =>
  USERS.map(
    (user) =>
      `  ${user}:\n    tools:\n      files/read: {allowed: true, paths: ["${directory}"]}\n` +
      `      files/chown: {allowed: true, paths: ["${directory}"]}\n`,
  ).join('');

before(() => {
  home = makeHome(grantsFor(base), 'limits: {auth_failures_per_minute: 10000}\n');
  home.writeUsers(USERS);
  writeFileSync(join(base, 'big'), Buffer.alloc(8 * 1024 * 1024, 'line of text\n'));
});
afterEach(async () => {
  assert.equal((await verifyAudit(home.auditDir)).state, 'good');
});
after(() => {
  home.remove();
  rmSync(base, { recursive: true, force: true });
});

async function greeted(): Promise<RawBroker> {
  const broker = await startBroker(home, { bundle: true });
  await broker.client.hello();
  return broker;
}

/** What a broker may take while it starts and ends; that lengths are judged before memory is taken is shown where frames are decoded. */
const MOST_KB = 64 * 1024;

/** Resident memory in KiB, 0 when the process has gone. */
function residentKb({ child }: RawBroker): number {
  try {
    return Number(/^VmRSS:\s+(\d+)/m.exec(readFileSync(`/proc/${child.pid}/status`, 'utf8'))?.[1] ?? 0);
  } catch {
    return 0;
  }
}

const recordsOf = (kind: AuditRecord['kind']): AuditRecord[] => home.records().filter((record) => record.kind === kind);

// abuse 48: broker
test('no row is run without a session, and each says the same', async () => {
  const broker = await greeted();
  const answers = ROWS.map((op) => broker.client.call(op.name, plainArgs(op), { capability: '0'.repeat(64) }));
  for (const { key, params } of await Promise.all(answers)) assert.deepEqual([key, params], ['no_session', {}]);
  assert.equal(await broker.stop(), 0);
});

// abuse 17, 49, 110: broker
test('every row refuses arguments that are missing, of another type, too many or too large', async () => {
  const broker = await greeted();
  await broker.client.open(home.token('ops'));
  for (const op of ROWS) {
    const good = plainArgs(op);
    const wrong: object[] = [
      { ...good, undeclared: 1 },
      JSON.parse('{"__proto__":{"polluted":1}}') as object,
      { ...good, constructor: 1 },
    ];
    for (const name of Object.keys(op.args.properties))
      wrong.push({ ...good, [name]: { a: 1 } }, { ...good, [name]: 'x'.repeat(20_000) });
    for (const name of op.args.required) wrong.push(Object.fromEntries(Object.entries(good).filter(([key]) => key !== name)));
    for (const args of wrong) {
      const { key } = await broker.client.call(op.name, args);
      assert.equal(key, 'bad_args', `${op.name} ${JSON.stringify(args).slice(0, 200)}`);
    }
  }
  assert.equal(await broker.stop(), 0);
});

// abuse 45: broker
test('the name of an operation is exact', async () => {
  for (const name of ['FILES/CHOWN', 'files.chown', ' files/chown', 'toString']) {
    const broker = await greeted();
    await broker.client.open(home.token('ops'));
    broker.client.start(name, { path: base, owner: '1' }, { id: 77 });
    assert.equal(await broker.exit, 65, name);
  }
});

// abuse 16: broker
test('a key that stands twice counts once: what is recorded is what is done', async () => {
  const broker = await greeted();
  const { capability } = await broker.client.open(home.token('ops'));
  const other = join(base, 'other');
  writeFileSync(other, 'the other\n');
  const text =
    `{"type":"call","id":50,"capability":"${capability}","op":"files/chown","op":"files/read","request":"twice","deadline_ms":9000,` +
    `"args":{"path":"/etc/shadow","path":"${other}"}}`;
  const answer = broker.client.answer(50);
  const head = Buffer.alloc(5);
  head.writeUInt32BE(Buffer.byteLength(text) + 1);
  head[4] = KIND_JSON;
  broker.client.raw(Buffer.concat([head, Buffer.from(text)]));
  assert.equal((await answer).bytes.toString(), 'the other\n');
  const recorded = home.records().filter(({ request }) => request === 'twice');
  assert.deepEqual([...new Set(recorded.map(({ op, object }) => `${op} ${object}`))], [`files/read ${other}`]);
  assert.equal(await broker.stop(), 0);
});

// abuse 1, 2, 3, 4: broker
test('frames that are announced and not sent cost no memory', async () => {
  for (const length of [0, 1, MAX_JSON_BYTES + 2, 0xffff_ffff]) {
    const broker = await greeted();
    const before = residentKb(broker);
    const head = Buffer.alloc(4);
    head.writeUInt32BE(length);
    let [peak, over] = [before, false];
    void broker.exit.then(() => (over = true));
    broker.client.raw(Buffer.concat([head, Buffer.from([KIND_JSON])]));
    while (!over) {
      peak = Math.max(peak, residentKb(broker));
      await sleep(5);
    }
    assert.ok(peak - before < MOST_KB, `length ${length}: ${peak - before} KiB more`);
    assert.equal(await broker.exit, 65, `length ${length}`);
  }
});

// abuse 12: broker
test('a connection that is torn in the middle of a frame ends its broker in order', async () => {
  const broker = await greeted();
  await broker.client.open(home.token('ops'));
  broker.client.raw(Buffer.from([0, 0, 1, 0, KIND_JSON, 0x7b, 0x22]));
  await sleep(50);
  broker.client.socket.destroy();
  assert.equal(await broker.exit, 0);
  assert.equal(home.records().at(-1)?.kind, 'stop');
});

// abuse 94: broker
test('a reader that gives no credit gets no more than its window', async () => {
  const broker = await greeted();
  await broker.client.open(home.token('ops'));
  broker.client.givesCredit = false;
  let received = 0;
  broker.client.socket.on('data', (data: Buffer) => (received += data.length));
  const ids = Array.from({ length: 8 }, () => broker.client.nextId());
  const answers = ids.map((id) => broker.client.answer(id));
  const before = residentKb(broker);
  for (const id of ids)
    broker.client.start('files/read', { path: join(base, 'big'), limit: 8 * 1024 * 1024 }, { id, deadlineMs: 60_000 });
  await eventually(() => received >= 8 * CREDIT_WINDOW, 30_000);
  await sleep(500);
  assert.ok(received < 8 * CREDIT_WINDOW * 1.01, `${received} bytes came`);
  assert.ok(residentKb(broker) - before < 32 * 1024, `${residentKb(broker) - before} KiB more`);
  for (const id of ids) broker.client.send({ type: 'cancel', id });
  for (const { key } of await Promise.all(answers)) assert.equal(key, 'cancelled');
  assert.equal(await broker.stop(), 0);
});

// abuse 97: broker
test('eight calls of one user run at a time, and 32 of all', async () => {
  const broker = await greeted();
  const { client } = broker;
  client.givesCredit = false;
  const args = { path: join(base, 'big'), limit: 8 * 1024 * 1024 };
  const started: number[] = [];
  const start = (): Promise<string | undefined> => {
    const id = client.nextId();
    started.push(id);
    const answer = client.answer(id).then(({ key }) => key);
    client.start('files/read', args, { id, deadlineMs: 60_000 });
    return Promise.race([answer, eventually(() => (chunksOf(id) ? 'runs' : undefined), 30_000)]);
  };
  const seen = new Set<number>();
  const chunksOf = (id: number): boolean => seen.has(id);
  client.onChunk = (id) => seen.add(id);
  for (const user of USERS.slice(0, 4)) {
    await client.open(home.token(user));
    assert.deepEqual(await Promise.all(Array.from({ length: 8 }, start)), Array(8).fill('runs'));
    assert.equal(await start(), 'busy');
  }
  await client.open(home.token('u5'));
  assert.equal(await start(), 'busy', 'the 33rd of all');
  for (const id of started) client.send({ type: 'cancel', id });
  assert.equal(await broker.stop(), 0);
});

// abuse 31, 32: broker
test('who is not the frontend gets no word, whatever STEWARD_PEER says', async () => {
  for (const peer of ['', 'unknown', '1-unknown', '1-2-990x', 'launcher-0', `${peerOfLauncher()}1`]) {
    const broker = await startBroker(home, { bundle: true, env: { STEWARD_PEER: peer } });
    let heard = 0;
    broker.client.socket.on('data', (data: Buffer) => (heard += data.length));
    assert.equal(await broker.exit, 77, peer);
    assert.equal(heard, 0);
  }
  assert.ok(recordsOf('violation').some(({ detail }) => detail?.includes('STEWARD_PEER')));
});

// abuse 43: broker
test('a grant that is narrowed while a recursive change runs holds for the next call', async (context) => {
  const tree = join(base, 'tree');
  for (let directory = 0; directory < 60; directory += 1) {
    mkdirSync(join(tree, String(directory)), { recursive: true });
    for (let file = 0; file < 50; file += 1) writeFileSync(join(tree, `${directory}/${file}`), '');
  }
  const broker = await greeted();
  await broker.client.open(home.token('ops'));
  broker.client.onMessage = (message) => {
    if (message.type === 'propose') broker.client.send({ type: 'accept', generation: message.generation });
  };
  const began = home.records().length;
  const change = () => broker.client.call('files/chown', { path: tree, owner: `${process.getuid?.()}`, recursive: true });
  const running = change();
  await eventually(
    () =>
      home
        .records()
        .slice(began)
        .some(({ kind, op }) => kind === 'intent' && op === 'files/chown'),
    20_000,
  );
  home.writeGrants(grantsFor('/nowhere'));
  broker.client.send({ type: 'reload' });
  await eventually(
    () =>
      home
        .records()
        .slice(began)
        .some(({ kind }) => kind === 'reload'),
    30_000,
  );
  assert.equal((await running).key, undefined);
  assert.equal((await change()).key, 'path_restricted');
  const [intent, refusal] = home
    .records()
    .slice(began)
    .filter(({ kind }) => kind === 'intent' || kind === 'refusal');
  assert.notEqual(intent?.grants, refusal?.grants, 'each was judged by the grants of its time, and says so');
  context.diagnostic(`${readdirSync(tree).length} directories`);
  home.writeGrants(grantsFor(base));
  assert.equal(await broker.stop(), 0);
});
