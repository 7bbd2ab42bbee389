/** From the start of the launcher to the first answer: both processes, their configuration, the audit log and TLS. */
import { spawn } from 'node:child_process';
import { setTimeout as sleep } from 'node:timers/promises';
import { startPair, type Pair } from '../../test/support/pair.ts';
import { streamableDoor, type Door } from '../lib/door.ts';
import type { Line } from '../lib/line.ts';
import { startSdkStreamable } from '../lib/peer.ts';

const PATIENCE_MS = 30_000;
const AGAIN_MS = 5;

/** Asks until somebody answers. */
async function firstAnswer(pair: Pair): Promise<Door> {
  const end = Date.now() + PATIENCE_MS;
  for (;;) {
    try {
      return await streamableDoor({ url: pair.url, ca: pair.ca, token: pair.token('ops') });
    } catch (error) {
      if (Date.now() > end) throw error;
      await sleep(AGAIN_MS);
    }
  }
}

async function end(process: Pair['launcher']): Promise<void> {
  const ended = new Promise((done) => process.once('exit', done));
  process.kill('SIGTERM');
  await ended;
}

const start: Line = {
  name: 'start',
  prepare: async () => {
    const pair = await startPair();
    const [file = '', ...args] = pair.launcher.spawnargs;
    await end(pair.launcher);
    return {
      contestants: [
        {
          name: 'launcher to first answer',
          run: async () => {
            const began = performance.now();
            const launcher = spawn(file, args, { stdio: 'ignore' });
            const door = await firstAnswer(pair);
            await door.ask('tools/call', { name: 'cpu/load-average', arguments: {} });
            const took = performance.now() - began;
            door.close();
            await end(launcher);
            return took;
          },
        },
        {
          name: 'SDK 1.x, Streamable HTTP, one process',
          run: async () => {
            const began = performance.now();
            const peer = await startSdkStreamable(pair);
            await peer.door.ask('tools/call', { name: 'cpu/load-average', arguments: {} });
            const took = performance.now() - began;
            peer.stop();
            return took;
          },
        },
      ],
      note: 'session and one call included',
      close: () => pair.stop(),
    };
  },
};

export const lines = [start];
