/**
 * The official filesystem server as one reaches it over the network: it speaks standard input and output alone, so a gateway from npm
 * starts it and speaks HTTP, without TLS and without tokens.
 */
import { spawn } from 'node:child_process';
import { setTimeout as sleep } from 'node:timers/promises';
import { freePort } from '../../test/support/port.ts';
import { sseDoor, streamableDoor, type Door } from './door.ts';
import { FILESYSTEM_SERVER, installed, type Peer } from './peer.ts';
import { ticksOfGroup } from './process-figures.ts';

const GATEWAY = 'supergateway/dist/index.js';
const START_MS = 30_000;

const WAYS = {
  SSE: { transport: ['sse'], open: sseDoor },
  // one server for each session; otherwise one is started for each request
  'Streamable HTTP': { transport: ['streamableHttp', '--stateful'], open: streamableDoor },
} as const;

/** The gateway on both transports, a process each; none where it or the server is not installed. */
export async function startGateways(directory: string): Promise<Peer[]> {
  const gateway = installed(GATEWAY);
  const server = installed(FILESYSTEM_SERVER);
  if (gateway === undefined || server === undefined) return [];
  const command = `${process.execPath} ${server} ${directory}`;
  return [await startGateway(gateway, command, 'SSE'), await startGateway(gateway, command, 'Streamable HTTP')];
}

async function startGateway(gateway: string, command: string, way: keyof typeof WAYS): Promise<Peer> {
  const port = await freePort();
  const { transport, open } = WAYS[way];
  const args = [gateway, '--stdio', command, '--port', String(port), '--logLevel', 'none', '--outputTransport', ...transport];
  // a group of its own, so that what it starts is counted with it and ends with it
  const child = spawn(process.execPath, args, { stdio: 'ignore', env: { PATH: '/usr/bin:/bin' }, detached: true });
  const group = child.pid ?? 0;
  const end = Date.now() + START_MS;
  let door: Door | undefined;
  while (door === undefined) {
    door = await open({ url: `http://127.0.0.1:${port}` }).catch(() => undefined);
    if (door === undefined && (Date.now() > end || child.exitCode !== null)) {
      if (child.exitCode === null) process.kill(-group, 'SIGKILL');
      throw new Error(`the gateway did not answer over ${way}`);
    }
    if (door === undefined) await sleep(50);
  }
  const opened = door;
  const stop = (): void => {
    opened.close();
    process.kill(-group, 'SIGKILL');
  };
  return { name: `filesystem server behind a gateway, plain ${way}`, door, processor: () => ticksOfGroup(group), stop };
}
