/**
 * A reader of the live feed that takes nothing, over a real socket: it holds up nobody and costs a bounded amount of memory, and
 * when it reads again it gets what it can have, without a gap, and is told that it was too slow.
 */
import assert from 'node:assert/strict';
import { once } from 'node:events';
import { readFileSync } from 'node:fs';
import { test } from 'node:test';
import { WebSocket } from 'ws';
import type { AuditRecord } from '@steward/shared/audit/record.ts';
import { eventually, startPair, type Pair } from '../support/pair.ts';

const MS = 120_000;
const [WARM_UP, CALLS] = [1500, 6000];
const IN_FLIGHT = 16;
/** A path as long as may be: refused, and on record with some 11 kB. */
const LONG = `/${'\u20ac'.repeat(80)}`.repeat(16);
/** How long the server waits for a reader whom it has told that the feed is over; then the connection is gone without a word. */
const CLOSE_MS = 30_000;
/** Far less than all records together. */
const MOST_GROWTH = 55_000_000;

const GRANTS =
  '  slow:\n    tools:\n      audit/watch: {allowed: true}\n  quick:\n    tools:\n      audit/watch: {allowed: true}\n' +
  '  ops:\n    tools:\n      files/read: {allowed: true, paths: [/etc]}\n';

interface Watcher {
  readonly socket: WebSocket;
  readonly seqs: number[];
  readonly closed: Promise<[code: number, reason: Buffer]>;
}

async function watch(pair: Pair, user: string): Promise<Watcher> {
  const headers = { authorization: `Bearer ${pair.token(user)}` };
  const socket = new WebSocket(`wss://127.0.0.1:${pair.port}/audit/live`, { ca: pair.ca, headers });
  const seqs: number[] = [];
  socket.on('message', (data: Buffer) => seqs.push((JSON.parse(data.toString()) as AuditRecord).seq));
  const closed = once(socket, 'close') as Promise<[number, Buffer]>;
  await once(socket, 'open');
  await eventually(() => pair.records().some((record) => record.op === 'audit/watch' && record.user === user), MS);
  return { socket, seqs, closed };
}

/** The highest resident memory of both daemons so far, in bytes. */
const peak = (pair: Pair): number =>
  [...pair.pids('steward-broker'), ...pair.pids('steward-frontend')]
    .map((pid) => /^VmHWM:\s+(\d+) kB$/m.exec(readFileSync(`/proc/${pid}/status`, 'latin1'))?.[1])
    .reduce((sum, kib) => sum + Number(kib) * 1024, 0);

async function refusals(pair: Pair, count: number): Promise<void> {
  const client = await pair.connect('ops');
  let made = 0;
  const lane = async (): Promise<void> => {
    while (made < count) {
      made += 1;
      assert.equal((await client.call('files/read', { path: LONG, privileged: true })).code, 'RESTRICTED');
    }
  };
  await Promise.all(Array.from({ length: IN_FLIGHT }, lane));
}

const gapless = (seqs: readonly number[]): boolean => seqs.every((seq, at) => at === 0 || seq === (seqs[at - 1] ?? 0) + 1);

test('who does not read is told so, and others notice nothing', { timeout: 3 * MS }, async (context) => {
  const limits = 'limits: {requests_per_second: 1000000, burst: 1000000}\n';
  const pair = await startPair({ grants: GRANTS, users: ['ops', 'slow', 'quick'], daemon: limits });
  try {
    const [slow, quick] = [await watch(pair, 'slow'), await watch(pair, 'quick')];
    slow.socket.pause();
    const paused = performance.now();
    await refusals(pair, WARM_UP); // what the allocator keeps is taken by now
    const before = peak(pair);
    const rest = slow.seqs.length;
    await refusals(pair, CALLS);
    const grown = peak(pair) - before;
    context.diagnostic(`${CALLS} records of 11 kB, both daemons grew by ${(grown / 1e6).toFixed(1)} MB`);
    assert.ok(grown < MOST_GROWTH, `memory grew by ${grown}`);
    assert.equal(slow.seqs.length, rest, 'it reads nothing meanwhile');

    const refused = pair.records().filter(({ kind }) => kind === 'refusal');
    assert.equal(refused.length, CALLS + WARM_UP);
    const last = refused.at(-1)?.seq ?? 0;
    await eventually(() => (quick.seqs.at(-1) ?? 0) >= last, MS);
    assert.ok(gapless(quick.seqs), 'the other reader missed nothing');
    assert.equal(quick.socket.readyState, WebSocket.OPEN);

    slow.socket.resume();
    const tooLate = performance.now() - paused > CLOSE_MS; // where the calls took so long
    const [code, reason] = await slow.closed;
    if (!tooLate || code !== 1006) assert.deepEqual([code, reason.toString()], [1013, 'too slow, or too many calls']);
    assert.ok(gapless(slow.seqs) && (slow.seqs.at(-1) ?? 0) < last, 'what it got has no gap, and it did not get all');
    const again = await watch(pair, 'slow');
    again.socket.close();
    quick.socket.close();
  } finally {
    await pair.stop();
  }
});
