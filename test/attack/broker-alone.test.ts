/**
 * The shipped broker with nobody but an attacker at the other end of its socket: every row without a session and with wrong arguments,
 * names and keys that are not what they seem, a connection that is torn, grants that are narrowed.
 */
import assert from 'node:assert/strict';
import { mkdirSync, readdirSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { test } from 'node:test';
import { setTimeout as sleep } from 'node:timers/promises';
import type { AuditRecord } from '@steward/shared/audit/record.ts';
import { BROKER_OPERATIONS } from '@steward/shared/generated/table.ts';
import { KIND_JSON } from '@steward/shared/ipc/frames.ts';
import { OPERATIONS } from '@steward/shared/ops/index.ts';
import { plainArgs } from '../support/fuzz/sessions.ts';
import { eventually } from '../support/pair.ts';
import { peerOfLauncher, startBroker } from '../support/raw-broker.ts';
import { alone, grantsFor, greeted } from '../support/alone.ts';

const { base, home } = alone();

const ROWS = OPERATIONS.filter(({ name }) => BROKER_OPERATIONS.includes(name));

const recordsOf = (kind: AuditRecord['kind']): AuditRecord[] => home.records().filter((record) => record.kind === kind);

// abuse 48: broker
test('no row is run without a session, and each says the same', async () => {
  const broker = await greeted(home);
  const answers = ROWS.map((op) => broker.client.call(op.name, plainArgs(op), { capability: '0'.repeat(64) }));
  for (const { key, params } of await Promise.all(answers)) assert.deepEqual([key, params], ['no_session', {}]);
  assert.equal(await broker.stop(), 0);
});

// abuse 17, 49, 110: broker
test('every row refuses arguments that are missing, of another type, too many or too large', async () => {
  const broker = await greeted(home);
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
    const broker = await greeted(home);
    await broker.client.open(home.token('ops'));
    broker.client.start(name, { path: base, owner: '1' }, { id: 77 });
    assert.equal(await broker.exit, 65, name);
  }
});

// abuse 16: broker
test('a key that stands twice counts once: what is recorded is what is done', async () => {
  const broker = await greeted(home);
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

// abuse 12: broker
test('a connection that is torn in the middle of a frame ends its broker in order', async () => {
  const broker = await greeted(home);
  await broker.client.open(home.token('ops'));
  broker.client.raw(Buffer.from([0, 0, 1, 0, KIND_JSON, 0x7b, 0x22]));
  await sleep(50);
  broker.client.socket.destroy();
  assert.equal(await broker.exit, 0);
  assert.equal(home.records().at(-1)?.kind, 'stop');
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
  const broker = await greeted(home);
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
