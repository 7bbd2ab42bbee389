/**
 * What the broker costs: the way to it and back, the durable record of a call, and how many calls it takes in a second. "Without a
 * record" is a pair of the same programs whose configuration leaves reads out of the log.
 */
import { execFileSync } from 'node:child_process';
import { chownSync, closeSync, fdatasyncSync, openSync, rmSync, writeFileSync, writeSync } from 'node:fs';
import { join } from 'node:path';
import { frontendAccount } from '../../test/support/pair.ts';
import type { Bench } from '../lib/bench.ts';
import { sseDoor, type Door } from '../lib/door.ts';
import type { Contestant, Line } from '../lib/line.ts';
import type { BenchPair } from '../lib/pair.ts';
import { makeCalls, percentile } from '../lib/traffic.ts';

/** The broker runs eight calls of one user at once: four users are 32 in flight. */
const USERS = ['one', 'two', 'three', 'four'];
const GRANTS = USERS.map(
  (user) =>
    `  ${user}:\n    tools:\n      files/read: {allowed: true, paths: [/]}\n      files/chmod: {allowed: true, paths: [/]}\n`,
).join('');
const SMALL = { path: '/etc/hostname' };
/** About as long as the record of a call. */
const RECORD_BYTES = 640;

interface Opened {
  readonly pair: BenchPair;
  /** One session for each user. */
  readonly doors: readonly Door[];
  close(): void;
}

async function opened(bench: Bench, recordsReads: boolean): Promise<Opened> {
  const pair = await bench.ownPair({
    grants: GRANTS,
    users: USERS,
    audit: `  reads: ${recordsReads}\n`,
    daemon: 'limits: {requests_per_second: 1000000, burst: 1000000}\n',
  });
  const { url, ca } = pair.pair;
  const doors = await Promise.all(USERS.map((user) => sseDoor({ url, ca, token: pair.pair.token(user) })));
  return { pair, doors, close: () => doors.forEach((door) => door.close()) };
}

/** The median of calls of the first user, one after the other. */
function median(name: string, { pair, doors }: Opened, tool: string, args: object): Contestant {
  const call = () => doors[0]?.ask('tools/call', { name: tool, arguments: args }) ?? Promise.reject(new Error('no session'));
  const run = async (): Promise<number> => percentile(await makeCalls(call, 200, 1), 0.5);
  return { name, run, processor: () => pair.processorTime() };
}

const MEDIAN = 'median of 200, one in flight';

/** The same small file, read by the frontend, and read as root with and without a record. */
const hop: Line = {
  name: 'broker-hop',
  prepare: async (bench) => {
    const [silent, recording] = [await opened(bench, false), await opened(bench, true)];
    return {
      contestants: [
        median('files/read as root, without a record', silent, 'files/read', { ...SMALL, privileged: true }),
        median('files/read by the frontend', silent, 'files/read', SMALL),
        median('files/read as root, recorded', recording, 'files/read', { ...SMALL, privileged: true }),
      ],
      note: MEDIAN,
      close: () => [silent, recording].forEach((one) => one.close()),
    };
  },
};

/** Two records, each made durable, as every change has them: what the disk alone takes for that. */
function flushes(directory: string): Contestant {
  const record = Buffer.alloc(RECORD_BYTES, 'x');
  const run = async (): Promise<number> => {
    const fd = openSync(join(directory, 'flushes'), 'a', 0o600);
    const twice = (): Promise<void> => {
      for (let made = 0; made < 2; made += 1) {
        writeSync(fd, record);
        fdatasyncSync(fd);
      }
      return Promise.resolve();
    };
    const times = await makeCalls(twice, 200, 1);
    closeSync(fd);
    return percentile(times, 0.5);
  };
  return { name: 'the disk alone: two flushes', run };
}

/** A change as root, with its durable intent and its outcome, beside the same change by the frontend, which records nothing. */
const change: Line = {
  name: 'audit-change',
  prepare: async (bench) => {
    const one = await opened(bench, true);
    const { auditDir, directory } = one.pair.pair;
    const file = join(directory, 'file');
    writeFileSync(file, 'one line\n');
    chownSync(file, Number(execFileSync('id', ['-u', frontendAccount()])), 0);
    const args = { path: file, mode: '640' };
    return {
      contestants: [
        median('files/chmod as root, recorded durably', one, 'files/chmod', { ...args, privileged: true }),
        median('files/chmod by the frontend, of its own file', one, 'files/chmod', args),
        flushes(auditDir),
      ],
      note: MEDIAN,
      close: () => {
        one.close();
        rmSync(file);
      },
    };
  },
};

const RATE_CALLS = 1600;

const rate: Line = {
  name: 'root-32',
  prepare: async (bench) => {
    const [recording, silent] = [await opened(bench, true), await opened(bench, false)];
    const perCall = (name: string, { pair, doors }: Opened, args: object): Contestant => {
      let turn = 0;
      const call = (): Promise<unknown> => {
        const door = doors[(turn += 1) % doors.length];
        return door?.ask('tools/call', { name: 'files/read', arguments: args }) ?? Promise.reject(new Error('no session'));
      };
      const run = async (): Promise<number> => {
        const begin = performance.now();
        await makeCalls(call, RATE_CALLS, 32);
        return (performance.now() - begin) / RATE_CALLS;
      };
      return { name, run, processor: () => pair.processorTime() };
    };
    return {
      contestants: [
        perCall('files/read as root, recorded', recording, { ...SMALL, privileged: true }),
        perCall('files/read as root, without a record', silent, { ...SMALL, privileged: true }),
        perCall('files/read by the frontend', silent, SMALL),
      ],
      note: `32 in flight of four users, time per call of ${RATE_CALLS}`,
      close: () => [silent, recording].forEach((one) => one.close()),
    };
  },
};

export const lines = [hop, change, rate];
