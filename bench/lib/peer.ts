/**
 * Servers that steward is compared with, as processes of their own. Those from npm have a package and a lock of their own in bench/
 * (`make bench` installs them); where they are not installed their part of a line is left out.
 */
import { spawn, type ChildProcess } from 'node:child_process';
import { existsSync } from 'node:fs';
import { join } from 'node:path';
import { setTimeout as sleep } from 'node:timers/promises';
import { FLAGS } from '../../broker/launcher/commands.ts';
import { ROOT } from '../../test/support/paths.ts';
import type { Pair } from '../../test/support/pair.ts';
import { freePort } from '../../test/support/port.ts';
import { sseDoor, streamableDoor, type Door, type Target } from './door.ts';
import type { Contestant } from './line.ts';
import { ticksOf } from './process-figures.ts';

const START_MS = 30_000;
/** The official server for files. */
export const FILESYSTEM_SERVER = '@modelcontextprotocol/server-filesystem/dist/index.js';

export interface Peer {
  readonly name: string;
  readonly door: Door;
  /** Processor time that its process has used, in milliseconds. */
  readonly processor: () => number;
  readonly stop: () => void;
}

type Opener = (target: Target) => Promise<Door>;

/** A peer whose first line of output is its port, with the pair's certificate. */
async function startOwn(name: string, file: string, flags: readonly string[], pair: Pair, open: Opener): Promise<Peer> {
  const files = ['crt', 'key'].map((kind) => join(pair.configDir, `tls/steward.${kind}`));
  const program = join(ROOT, 'bench/peers', file);
  const child = spawn(process.execPath, [...flags, program, ...files], { stdio: ['ignore', 'pipe', 'inherit'] });
  const port = await new Promise<number>((done, fail) => {
    child.stdout.once('data', (line: Buffer) => done(Number(line.toString('latin1'))));
    child.once('exit', (status) => fail(new Error(`${name} ended with status ${String(status)}`)));
  });
  return peerOf(name, child, await open({ url: `https://127.0.0.1:${port}`, ca: pair.ca }));
}

function peerOf(name: string, child: ChildProcess, door: Door): Peer {
  const stop = (): void => {
    door.close();
    child.removeAllListeners('exit');
    child.kill('SIGKILL');
  };
  return { name, door, processor: () => ticksOf(child.pid ?? 0), stop };
}

export const startFloor = (pair: Pair): Promise<Peer> =>
  startOwn('the floor: node:https and SSE alone', 'floor.js', FLAGS, pair, sseDoor);
export const startSdkSse = (pair: Pair): Promise<Peer> => startOwn('SDK 1.x, SSE', 'sdk-server.js', [], pair, sseDoor);
export const startSdkStreamable = (pair: Pair): Promise<Peer> =>
  startOwn('SDK 1.x, Streamable HTTP', 'sdk-server.js', [], pair, streamableDoor);

/** Where a program of a package from npm lies, or undefined when it is not installed. */
export function installed(file: string): string | undefined {
  const path = join(ROOT, 'bench/node_modules', file);
  return existsSync(path) ? path : undefined;
}

/** The reference server over Streamable HTTP, plain: it has no TLS. Undefined when it is not installed. */
export async function startEverything(): Promise<Peer | undefined> {
  const program = installed('@modelcontextprotocol/server-everything/dist/index.js');
  if (program === undefined) return undefined;
  const port = await freePort();
  const child = spawn(process.execPath, [program, 'streamableHttp'], { stdio: 'ignore', env: { PORT: String(port) } });
  const end = Date.now() + START_MS;
  for (;;) {
    try {
      const door = await streamableDoor({ url: `http://127.0.0.1:${port}` });
      return peerOf('server-everything (echo), plain Streamable HTTP', child, door);
    } catch (error) {
      if (Date.now() > end || child.exitCode !== null) throw error;
      await sleep(50);
    }
  }
}

/** A peer's part of a line. */
export function contestant({ name, processor }: Peer, run: () => Promise<number | undefined>): Contestant {
  return { name, run, processor };
}
