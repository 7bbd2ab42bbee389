/**
 * The shipped broker with nobody but an attacker at the other end of its socket, who wants more than his share: frames that are
 * announced and not sent, a reader that does not read, more calls than it runs.
 */
import assert from 'node:assert/strict';
import { readFileSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { test } from 'node:test';
import { setTimeout as sleep } from 'node:timers/promises';
import { KIND_JSON } from '@steward/shared/ipc/frames.ts';
import { CREDIT_WINDOW, MAX_JSON_BYTES } from '@steward/shared/ipc/messages.ts';
import { eventually } from '../support/pair.ts';
import type { RawBroker } from '../support/raw-broker.ts';
import { USERS, alone, greeted } from '../support/alone.ts';

const { base, home } = alone();
writeFileSync(join(base, 'big'), Buffer.alloc(8 * 1024 * 1024, 'line of text\n'));

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

// abuse 1, 2, 3, 4: broker
test('frames that are announced and not sent cost no memory', async () => {
  for (const length of [0, 1, MAX_JSON_BYTES + 2, 0xffff_ffff]) {
    const broker = await greeted(home);
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

// abuse 94: broker
test('a reader that gives no credit gets no more than its window', async () => {
  const broker = await greeted(home);
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
  const broker = await greeted(home);
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
