/** What a pair holds: idle, after many calls, with open streams; and how the time of a search grows with the tree. */
import { setTimeout as sleep } from 'node:timers/promises';
import type { Bench } from '../lib/bench.ts';
import { sseDoor, type Door } from '../lib/door.ts';
import type { Line } from '../lib/line.ts';
import { residentOf } from '../lib/process-figures.ts';
import { makeCalls, percentile, steadyCalls } from '../lib/traffic.ts';
import { program } from '../lib/program.ts';
import { sharedTree } from '../lib/tree.ts';
import { openReader, type Reader } from '../../test/support/reader.ts';
import type { Pair } from '../../test/support/pair.ts';

/** Threads that have nothing to do have ended by then, and what starting left behind is given back. */
const IDLE_MS = 20_000;
const CALLS = 10_000;
const RATE = 200;
const GROWTH_ROUNDS = 5;
const LIMITS =
  'limits: {requests_per_second: 1000000, burst: 1000000, max_sessions: 20000, max_sessions_per_user: 20000, timeout_seconds: 600}\n';

const megabytes = (value: number): string => `${value.toFixed(0)} MB`;

function memoryOf(pair: Pair): { frontend: number; broker: number } {
  const [frontend = 0] = pair.pids('steward-frontend');
  const [broker = 0] = pair.pids('steward-broker');
  return { frontend: residentOf(frontend), broker: residentOf(broker) };
}

function told(when: string, { frontend, broker }: { frontend: number; broker: number }): string {
  return `${when}: ${megabytes(frontend + broker)} (frontend ${megabytes(frontend)}, broker ${megabytes(broker)})`;
}

const trivial = (door: Door) => () => door.ask('tools/call', { name: 'cpu/load-average', arguments: {} });

async function ownDoor(bench: Bench): Promise<{ pair: Pair; door: Door }> {
  const { pair } = await bench.ownPair({ daemon: LIMITS });
  return { pair, door: await sseDoor({ url: pair.url, ca: pair.ca, token: pair.token('ops') }) };
}

const memory: Line = {
  name: 'memory',
  prepare: async (bench) => {
    const { pair, door } = await ownDoor(bench);
    return {
      note: 'resident, shared pages of the runtime counted in both',
      figures: async () => {
        await sleep(IDLE_MS);
        const idle = memoryOf(pair);
        await makeCalls(trivial(door), CALLS, 32);
        const after = memoryOf(pair);
        await sleep(IDLE_MS);
        return [told('idle', idle), told(`after ${CALLS} calls`, after), told('idle again', memoryOf(pair))];
      },
      close: () => door.close(),
    };
  },
};

function streams(count: number): Line {
  return {
    name: `streams-${count}`,
    ...(count > 1000 ? { onRequest: true } : {}),
    prepare: async (bench) => {
      const { pair, door } = await ownDoor(bench);
      const readers: Reader[] = [];
      return {
        note: 'idle SSE streams over TLS',
        figures: async () => {
          await makeCalls(trivial(door), 400, 32);
          await sleep(IDLE_MS);
          const before = memoryOf(pair);
          while (readers.length < count) readers.push(...(await Promise.all(Array.from({ length: 25 }, () => openReader(pair)))));
          const times = await steadyCalls(trivial(door), RATE, 10);
          const held = memoryOf(pair);
          const each = ((held.frontend - before.frontend) * 1000) / count;
          const share = (part: number): string => percentile(times, part).toFixed(1);
          return [
            told('before', before),
            told('with the streams', held),
            `${each.toFixed(1)} kB for each stream`,
            `trivial calls beside them, ${RATE} a second: p50 ${share(0.5)} ms, p99 ${share(0.99)} ms`,
          ];
        },
        close: () => {
          for (const reader of readers) reader.close();
          door.close();
        },
      };
    },
  };
}

const spread = (times: readonly number[]): string =>
  `${percentile(times, 0.5).toFixed(1)} ms (${Math.min(...times).toFixed(1)}–${Math.max(...times).toFixed(1)})`;

const growth: Line = {
  name: 'growth',
  onRequest: true,
  prepare: async (bench) => {
    const client = await bench.client();
    return {
      note: `files/find by name, median of ${GROWTH_ROUNDS}, in turn with find(1)`,
      figures: async () => {
        const said: string[] = [];
        for (const entries of [1_000, 10_000, 100_000, 1_000_000]) {
          const { path } = await sharedTree(entries);
          const find = program('find', [path, '-name', '*.wanted']);
          const search = () => client.call('files/find', { path, name: '*.wanted' });
          const [ours, theirs]: [number[], number[]] = [[], []];
          await search();
          await find.run();
          for (let round = 0; round < GROWTH_ROUNDS; round += 1) {
            ours.push(...(await makeCalls(search, 1, 1)));
            theirs.push(...(await makeCalls(find.run, 1, 1)));
          }
          const each = (percentile(ours, 0.5) * 1000) / entries;
          said.push(`${entries} entries: ${spread(ours)}, ${each.toFixed(1)} µs an entry; find ${spread(theirs)}`);
        }
        return said;
      },
    };
  },
};

export const lines = [memory, streams(1000), streams(10_000), growth];
