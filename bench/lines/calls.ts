/** Calls that do almost nothing, so that what is left is the way there and back, beside other servers. */
import type { Bench } from '../lib/bench.ts';
import { sseDoor, streamableDoor, type Door } from '../lib/door.ts';
import type { Contestant, Line } from '../lib/line.ts';
import { contestant, startEverything, startFloor, startSdkSse, startSdkStreamable, type Peer } from '../lib/peer.ts';
import { makeCalls, percentile } from '../lib/traffic.ts';

const LOAD = { name: 'cpu/load-average', arguments: {} };
const ECHO = { name: 'echo', arguments: { message: 'hello' } };

/** Milliseconds: the median of calls one after the other, or the time of all divided by their number. */
async function perCall(call: () => Promise<unknown>, count: number, inFlight: number): Promise<number> {
  const begin = performance.now();
  const times = await makeCalls(call, count, inFlight);
  return inFlight === 1 ? percentile(times, 0.5) : (performance.now() - begin) / count;
}

async function targetOf(bench: Bench) {
  const { pair } = await bench.pair();
  return { url: pair.url, ca: pair.ca, token: pair.token('ops') };
}

function trivial(inFlight: number, count: number): Line {
  return {
    name: `call-${inFlight}`,
    prepare: async (bench) => {
      const { pair } = await bench.pair();
      const sse = await sseDoor(await targetOf(bench));
      const streamable = await streamableDoor(await targetOf(bench));
      const peers: readonly Peer[] = [await startFloor(pair), await startSdkSse(pair), await startSdkStreamable(pair)];
      const everything = await startEverything();
      const measured = (door: Door, params: object) => () => perCall(() => door.ask('tools/call', params), count, inFlight);
      const ours: Contestant = { name: 'steward, SSE', run: measured(sse, LOAD) };
      const others: Contestant[] = [
        { name: 'steward, Streamable HTTP', run: measured(streamable, LOAD) },
        ...peers.map((peer) => contestant(peer, measured(peer.door, LOAD))),
        ...(everything === undefined ? [] : [contestant(everything, measured(everything.door, ECHO))]),
      ];
      return {
        contestants: [ours, ...others],
        note: `${inFlight} in flight, ${inFlight === 1 ? 'median of' : 'time per call of'} ${count}`,
        close: () => {
          for (const peer of [...peers, everything]) peer?.stop();
          sse.close();
          streamable.close();
        },
      };
    },
  };
}

const list: Line = {
  name: 'tools-list',
  prepare: async (bench) => {
    const door = await sseDoor(await targetOf(bench));
    const everything = await startEverything();
    const median = (of: Door, method: string, params: object) => () => perCall(() => of.ask(method, params), 100, 1);
    const bytes = Buffer.byteLength(await door.ask('tools/list', {}));
    return {
      contestants: [
        { name: 'tools/list', run: median(door, 'tools/list', {}) },
        { name: 'steward, cpu/load-average', run: median(door, 'tools/call', LOAD) },
        ...(everything === undefined ? [] : [contestant(everything, median(everything.door, 'tools/list', {}))]),
      ],
      note: `${bytes} bytes, median of 100`,
      close: () => {
        door.close();
        everything?.stop();
      },
    };
  },
};

/** Rounds long enough that their beginning, with caches that another server filled meanwhile, does not decide. */
export const lines = [trivial(1, 300), trivial(32, 2000), trivial(256, 2048), list];
