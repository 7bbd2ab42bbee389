/**
 * Many streams, readers that do not read, and calls for a while: nobody else waits for them, and memory and descriptors stay where
 * they were. Small in an ordinary run; larger and longer on request:
 *
 *   LOAD_STREAMS=10000 LOAD_RATE=200   open streams, and trivial calls a second beside them
 *   LOAD_SECONDS=1800                  of mixed calls, a hundred a second
 */
import assert from 'node:assert/strict';
import { chmodSync, mkdtempSync, readdirSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { after, before, test } from 'node:test';
import { sseDoor, type Door } from '../../bench/lib/door.ts';
import { residentOf } from '../../bench/lib/process-figures.ts';
import { percentile, steadyCalls } from '../../bench/lib/traffic.ts';
import { eventually, startPair, type Pair } from '../support/pair.ts';
import { openReader, type Reader } from '../support/reader.ts';

const STREAMS = Number(process.env['LOAD_STREAMS'] ?? 1000);
const RATE = Number(process.env['LOAD_RATE'] ?? 50);
const SECONDS = Number(process.env['LOAD_SECONDS'] ?? 6);
/** Seconds from which on heaps have found their size. */
const LONG = 600;
const SLOW_READERS = 200;
const MIB = 1024 * 1024;
const PATIENCE_MS = 120_000;

let directory: string;
let pair: Pair;
let door: Door | undefined;

before(async () => {
  directory = mkdtempSync(join(tmpdir(), 'steward-load-'));
  chmodSync(directory, 0o755);
  writeFileSync(join(directory, 'large'), 'a line of text\n'.repeat(MIB));
  writeFileSync(join(directory, 'small'), 'a line of text\n');
  pair = await startPair({
    grants: `  ops:\n    tools:\n      files/read: {allowed: true, paths: ["${directory}"]}\n`,
    daemon:
      'limits: {requests_per_second: 1000000, burst: 1000000, max_sessions: 20000, max_sessions_per_user: 20000, timeout_seconds: 120}\n',
  });
});
after(async () => {
  door?.close();
  await pair.stop();
  rmSync(directory, { recursive: true, force: true });
});

const frontend = (): number => pair.pids('steward-frontend')[0] ?? 0;
const broker = (): number => pair.pids('steward-broker')[0] ?? 0;
const descriptors = (pid: number): number => readdirSync(`/proc/${pid}/fd`).length;
/** Megabytes of a process. */
const memory = (): number => residentOf(frontend());

const ask = (method: string, params: object): Promise<string> =>
  door?.ask(method, params) ?? Promise.reject(new Error('no session'));
const call = (name: string, args: object = {}): Promise<string> => ask('tools/call', { name, arguments: args });
const trivial = (): Promise<string> => call('cpu/load-average');
const readLarge = (reader: Reader, id: number, limit: number): Promise<void> =>
  reader.post({
    jsonrpc: '2.0',
    id,
    method: 'tools/call',
    params: { name: 'files/read', arguments: { path: join(directory, 'large'), limit } },
  });

/**
 * Memory and descriptors of both processes under these calls: the least within some seconds, since the sealer's thread comes and goes
 * and holds a tenth of the broker's memory while it is there.
 */
async function figures(ask: () => Promise<string>): Promise<{ pid: number; memory: number; open: number }[]> {
  const least = [frontend(), broker()].map((pid) => ({ pid, memory: Infinity, open: Infinity }));
  for (let second = 0; second < Math.min(20, SECONDS / 2); second += 1) {
    await steadyCalls(ask, 100, 1);
    for (const one of least) {
      one.memory = Math.min(one.memory, residentOf(one.pid));
      one.open = Math.min(one.open, descriptors(one.pid));
    }
  }
  return least;
}

async function openReaders(count: number): Promise<Reader[]> {
  const readers: Reader[] = [];
  while (readers.length < count) {
    readers.push(...(await Promise.all(Array.from({ length: Math.min(25, count - readers.length) }, () => openReader(pair)))));
  }
  return readers;
}

test('a pair that nobody asks anything gives back what its start took', async (context) => {
  const together = (): number => residentOf(frontend()) + residentOf(broker());
  await eventually(() => together() < 145, PATIENCE_MS);
  context.diagnostic(`${together().toFixed(0)} MB together`);
  door = await sseDoor({ url: pair.url, ca: pair.ca, token: pair.token('ops') });
});

test('idle streams cost little, and calls are served beside them', async (context) => {
  await steadyCalls(trivial, 100, 2);
  const empty = memory();
  const opened = descriptors(frontend());
  const readers = await openReaders(STREAMS);
  const perStream = ((memory() - empty) * 1000) / STREAMS;
  const times = await steadyCalls(trivial, RATE, 4);
  assert.equal(times.length, RATE * 4);
  context.diagnostic(
    `${STREAMS} streams: ${perStream.toFixed(0)} kB each; at ${RATE} calls/s p50 ${percentile(times, 0.5).toFixed(1)}, p99 ${percentile(times, 0.99).toFixed(1)} ms`,
  );
  assert.ok(perStream < 100, `${perStream} kB for a stream`);
  for (const reader of readers) reader.close();
  await eventually(() => descriptors(frontend()) <= opened + 5, PATIENCE_MS);
});

test('200 slow readers of large answers hold up nobody, and their answers wait on disk', async (context) => {
  const readers = await openReaders(SLOW_READERS);
  const before = memory();
  await Promise.all(readers.map((reader) => readLarge(reader, 1, 4 * MIB)));
  for (let count = 0; count < 20; count += 1) await trivial();
  // an answer is begun when its operation has ended: from then on it waits in its spool
  await eventually(() => readers.every((reader) => reader.begun), PATIENCE_MS);
  const grown = memory() - before;
  context.diagnostic(`${SLOW_READERS} answers of 4 MiB wait: ${grown.toFixed(0)} MB`);
  assert.ok(grown < 400, `${grown} MB for ${SLOW_READERS * 4} MiB of answers`);
  for (const reader of readers) reader.close();
});

test('a client that never reads a hundred megabytes of answers loses its stream, and memory stays flat', async (context) => {
  const reader = await openReader(pair);
  const before = memory();
  for (let id = 1; id <= 7; id += 1) await readLarge(reader, id, 15 * MIB);
  let most = 0;
  await eventually(() => {
    most = Math.max(most, memory());
    return pair.output().includes('the reader takes nothing');
  }, PATIENCE_MS);
  context.diagnostic(`at most ${(most - before).toFixed(0)} MB more`);
  assert.ok(most - before < 60, `${most - before} MB more`);
  reader.close();
});

test('mixed calls for a while leave memory and descriptors as they were', async (context) => {
  const path = join(directory, 'small');
  const kinds: readonly (() => Promise<string>)[] = [
    trivial,
    () => call('files/read', { path }),
    () => call('files/read', { path, privileged: true }),
    () => call('files/list', { path: directory, output_format: 'json' }),
    () => call('memory/usage'),
    () => ask('tools/list', {}),
  ];
  let next = 0;
  const mixed = (): Promise<string> => (kinds[next++ % kinds.length] ?? trivial)();
  // until everything has been loaded and every thread started; a minute where there is time
  await steadyCalls(mixed, SECONDS >= LONG ? 100 : 50, Math.min(60, SECONDS / 2));
  const early = await figures(mixed);
  const times = await steadyCalls(mixed, 100, SECONDS);
  assert.equal(times.length, 100 * SECONDS);
  const late = await figures(mixed);
  for (const [index, { pid, memory: then, open }] of early.entries()) {
    const now = late[index]?.memory ?? Infinity;
    context.diagnostic(`${index === 0 ? 'frontend' : 'broker'}: ${then.toFixed(0)} MB, then ${now.toFixed(0)} MB`);
    await eventually(() => descriptors(pid) <= open + 5, PATIENCE_MS);
  }
  const grown = early.map(({ memory: then }, index) => (late[index]?.memory ?? Infinity) - then * 1.1);
  assert.ok(Math.max(...grown) < (SECONDS >= LONG ? 0 : 40), `more than a tenth by ${grown.join(' and ')} MB`);
});
